# Completion of ddpsubmit in fish: the program itself says what a word can become.

function __ddpsubmit_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l plain (string unescape -- "$current")
    or set plain "$current"
    set -l program (string replace -r '^~/' "$HOME/" -- "$words[1]")
    set -e words[1]
    type -fq -- "$program"
    or set program ddpsubmit
    command $program __complete -- $words "$plain" 2>/dev/null
end

complete -c ddpsubmit -f -k -a '(__ddpsubmit_complete)'
