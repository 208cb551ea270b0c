# The page that `report` writes about runs.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/local_run

setup() { isolate_user; }

# count WORD FILE: how often it is there.
count() { grep -oF -- "$1" "$2" | wc -l; }

# is_sound FILE: a page whose policy names the hashes of its style and its script, that loads nothing, and is well-formed.
is_sound() {
  python3 - "$1" <<'EOF'
import base64, hashlib, html.parser, json, re, sys

text = open(sys.argv[1], encoding='utf-8', newline='').read()
policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text).group(1)
for tag, part in (('style', re.search(r'<style>(.*?)</style>', text, re.S)), ('script', re.search(r'<script>(.*?)</script>', text, re.S))):
    digest = base64.b64encode(hashlib.sha256(part.group(1).encode()).digest()).decode()
    assert f"{tag}-src 'sha256-{digest}'" in policy, tag
assert "default-src 'none'" in policy
data = json.loads(re.search(r'<script type="application/json" id="report-data">(.*?)</script>', text, re.S).group(1))
assert {'axes', 'plots', 'heat', 'alone'} <= data.keys()
VOID = {'meta', 'input', 'br', 'path', 'rect', 'line', 'circle'}


class Parser(html.parser.HTMLParser):
    open_tags, ids = [], set()

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open_tags.append(tag)
        for name, value in attributes:
            assert not name.startswith('on') and name not in ('style', 'src', 'href'), (tag, name)
            assert name != 'id' or (value not in self.ids and not self.ids.add(value)), value

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open_tags.pop() == tag, (tag, self.getpos())


parser = Parser()
parser.feed(text)
assert not parser.open_tags
EOF
}

@test "a run that fails, restarts and ends: attempts, curves, cost, settings with origins" {
  # As the attempts of a Python program log: the second one does step 2 again.
  write_config 2 '[ "$RANK" = 1 ] || printf "%s\n" \
    "{\"kind\":\"train\",\"attempt\":$TORCHELASTIC_RESTART_COUNT,\"step\":$((TORCHELASTIC_RESTART_COUNT + 1)),\"loss\":3,\"bleu\":7}" \
    >>"$DDPSUBMIT_OUTPUT_DIR/../metrics.jsonl"
    [ "$TORCHELASTIC_RESTART_COUNT" = 1 ] || { [ "$RANK" = 0 ] && exec sleep 1000
      until [ -s "$DDPSUBMIT_OUTPUT_DIR/../metrics.jsonl" ]; do sleep 0.01; done
      echo "<b>cannot go on" >&2; exit 3; }'
  "$DDPSUBMIT" run run.yaml fault_tolerance.max_restarts=1
  run --separate-stderr "$DDPSUBMIT" report last
  [ "$status" -eq 0 ]
  [[ $output == "$PWD"/report-job-*.html ]]
  local page=$output
  is_sound "$page"
  grep -E 'Run job-[a-z0-9]* succeeded in [^<]*, after 1 restart' "$page"
  grep -F '<th scope="row">attempt 1</th>' "$page"
  grep -E '<td>failed</td>.*with exit code 3|<td>failed</td>.*code 3' "$page"
  grep -F 'data-plot="loss"' "$page"
  grep -F '<figcaption>bleu</figcaption>' "$page"
  grep -F '<td>fault_tolerance.max_restarts</td><td>1</td><td>command line</td>' "$page"
  grep -E '<td>name</td><td>job</td><td>[^<]*run.yaml:1</td>' "$page"
  [ "$("$DDPSUBMIT" report last --json | jq -c '[.schema, (.runs[0] | .state, (.attempts | length), .recovery.failures, (.series[0] | .kind, .records))]')" = \
    '["ddpsubmit.report.v1","succeeded",2,1,"train",2]' ]
  echo old >"$page"
  "$DDPSUBMIT" report last
  is_sound "$page"
}

@test "a run that fails: cause, and the end of stderr as text" {
  write_config 1 'echo "</pre></script><script>alert(1)</script>" >&2; exit 3'
  run "$DDPSUBMIT" run run.yaml
  "$DDPSUBMIT" report last -o page.html
  is_sound page.html
  grep -F 'Last lines of rank 0 on stderr' page.html
  grep -F '&lt;/pre&gt;&lt;/script&gt;&lt;script&gt;alert(1)' page.html
  [ "$(count '<script' page.html)" = 2 ]
}

@test "a training has the parts of its steps, the times of its ranks, and its checkpoints" {
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
  "$DDPSUBMIT" run "$SOURCE_DIR/configs/synthetic_mlp.yaml" run_root=runs train.log.every_steps=1 resources.tasks_per_node=2
  "$DDPSUBMIT" report last -o page.html
  is_sound page.html
  grep -F 'data-plot="step-parts"' page.html
  grep -F 'data-plot="memory"' page.html
  grep -F '<figure class="plot" data-heat>' page.html
  grep -F 'training waited' page.html
  [ "$("$DDPSUBMIT" report last --json | jq -c '.runs[0].rank_times.ranks')" = '[0,1]' ]
}

@test "a sweep: its points, and the settings that differ" {
  write_config 1 'printf "{\"kind\":\"train\",\"attempt\":0,\"step\":1,\"loss\":%s}\n" {args.x} >"$DDPSUBMIT_OUTPUT_DIR/../metrics.jsonl"; [ {args.x} = 1 ]'
  printf '%s\n' 'args: {x: 0}' 'sweep: {args.x: [1, 2]}' >>run.yaml
  run "$DDPSUBMIT" run run.yaml
  "$DDPSUBMIT" report last -o sweep.html
  is_sound sweep.html
  grep -E '<h1>.*Sweep job-[a-z0-9]* failed' sweep.html
  grep -E '<th scope="col" title="args.x" class="n">x</th>' sweep.html
  grep -E 'job-[a-z0-9]*/1</td><td>failed</td><td class="n">2</td>' sweep.html
  [ "$("$DDPSUBMIT" report last --json | jq -c '[(.runs | length), [.differences[] | select(.key == "args.x") | .values]]')" = '[2,[["1","2"]]]' ]
  "$DDPSUBMIT" report last/0 last/1
  is_sound report-job-*-0.html
}

@test "no such run, no run, and a target that is not a file" {
  write_config 1 true
  "$DDPSUBMIT" run run.yaml
  run "$DDPSUBMIT" report nobody
  [ "$status" -eq 5 ]
  run "$DDPSUBMIT" report
  [ "$status" -eq 2 ]
  run "$DDPSUBMIT" report last -o "$PWD"
  [ "$status" -eq 2 ]
  [[ $output == *'is not a regular file'* ]]
  run "$DDPSUBMIT" report last --json -o page.html
  [ "$status" -eq 2 ]
}
