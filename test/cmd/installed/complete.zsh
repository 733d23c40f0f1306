zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= ; stty -echo; fpath=(${1:h} \$fpath); autoload -Uz compinit; compinit -u -d $PWD/dump; zstyle ':completion:*' list-prompt ''"
zpty -w shell "echo ready-\$((6 * 7))"
zpty -r -m shell out '*ready-42*'
zpty -n -w shell $'waymark report --bal\t'
zpty -r -m shell out '*waymark report --balance*' && echo completed
zpty -d shell
