# Words of real runs, compared with a text in tests/golden/messages, in which <…> stands for what differs from run to run.
# GOLDEN_WRITE=1 writes the texts anew, to be read before they are committed.

texts=$SOURCE_DIR/tests/golden/messages

# general: stdin, with a word in place of what is never the same twice.
general() {
  sed -E -e "s#$PWD#<folder>#g" -e "s#${DDPSUBMIT%/*}#<bin>#g" -e "s#(\bon|\bhead on|^  [0-9]+)( +)$(hostname)\b#\1\2<host>#g" \
    -e 's#\b(job|training|sweep)-[0-9a-z]{8}#\1-<id>#g' -e 's#[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}#<time>#g' \
    -e 's#\b([0-9]+ (d|h|min) )?[0-9]+(\.[0-9])? (h|min|m?s)\b#<span>#g' -e 's#[0-9,]+ samples/s#<speed> samples/s#g' \
    -e 's#^(  [0-9]+ +<host> +)[0-9]+ +#\1<pid>  #' -e 's#\b(loss|accuracy) [0-9]\.[0-9]{4}#\1 <value>#g' \
    -e 's#[0-9]\.[0-9]{4}#<value>#g' -e '/\|/!s# {2,}#  #g'
}

# is_golden NAME: stdin is the text of that name.
is_golden() {
  general >"$1.txt"
  if [[ -n ${GOLDEN_WRITE-} ]]; then cp "$1.txt" "$texts/$1.txt"; fi
  diff -u "$texts/$1.txt" "$1.txt"
}
