"""Completions of bash, zsh and fish, written from what shell_files.py read."""
import re


def choices(value):
    """Words a value may be: `text|json` gives both, `DIR|none` gives none, `N` nothing."""
    words = value.split('|') if '|' in value else []
    return [word for word in words if re.fullmatch(r'[a-z][a-z0-9+.-]*', word)]


def kind(value):
    """What the shell can offer for a value: metrics, models, folders, files, or nothing but its choices."""
    if value == 'METRIC':
        return 'metrics'
    if value == 'NAME|FOLDER':
        return 'models'
    if re.search(r'\b(FOLDER|DIR)\b', value):
        return 'folders'
    return 'files' if re.search(r'FILE|TABLE|INPUT|TEXT', value) else 'words'


def metric_names(metrics):
    return [metric['name'] for metric in metrics['metrics']]


def studies(commands):
    """The names that the help of `experiment` lists for STUDY: "k-sweep, wmt17 or own"."""
    [experiment] = [command for command in commands if command['name'] == 'experiment']
    text = dict(experiment['positionals'])['STUDY']
    return [word for word in re.findall(r'[a-z0-9-]+', text) if word != 'or']


# The models on this machine, by name: the first column of the list is NAME@HASH.
MODELS = "markeval model list --format tsv 2>/dev/null | tail -n +2 | cut -f1 | cut -d@ -f1"


def command_names(main):
    return [name for name, _ in main['subcommands']] + ['help']


# --- bash

BASH = r'''# Completion of markeval for bash. Written by packaging/shell_files.py from `markeval --help`.
_markeval_models() { @MODELS@; }
_markeval() {
  local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} flags= option= single= place
  local metrics="@METRICS@"
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "@COMMANDS@ --help --version" -- "$current"))
    return
  fi
  case $command in
@NESTED@
    experiment) if ((COMP_CWORD == 2)) && [[ $current != -* ]]; then COMPREPLY=($(compgen -W "@STUDIES@" -- "$current")); return; fi ;;
    help) COMPREPLY=($(compgen -W "@COMMANDS@ $metrics" -- "$current")); return ;;
    metrics) [[ $current == -* ]] || { COMPREPLY=($(compgen -W "$metrics" -- "$current")); return; } ;;
  esac
  case $command in
@FLAGS@
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
    return
  fi
  for ((place = COMP_CWORD - 1; place > 1; place--)); do
    if [[ ${COMP_WORDS[place]} == -* ]]; then option=${COMP_WORDS[place]}; break; fi
  done
  ((place == COMP_CWORD - 1)) && single=$option
  case $command:$single in
@SINGLE@
  esac
  case $command:$option in
@SEVERAL@
  esac
  compopt -o filenames
  COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _markeval markeval
'''


def bash_offer(item):
    words = ' '.join(choices(item['value']))
    what = kind(item['value'])
    if what == 'metrics':
        return 'COMPREPLY=($(compgen -W "$metrics" -- "$current")); return'
    if what == 'models':
        return 'compopt -o filenames; COMPREPLY=($(compgen -d -W "$(_markeval_models)" -- "$current")); return'
    if what == 'folders':
        return f'compopt -o filenames; COMPREPLY=($(compgen -d -W "{words}" -- "$current")); return'
    if what == 'files':
        return 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return'
    return f'COMPREPLY=($(compgen -W "{words}" -- "$current")); return'


def bash(main, commands, metrics):
    nested, flags, single, several = [], [], [], []
    for command in commands:
        name = command['name']
        if command['subcommands']:
            words = ' '.join(inner for inner, _ in command['subcommands'])
            nested += [f'    {name})', f'      if ((COMP_CWORD == 2)); then COMPREPLY=($(compgen -W "{words}" -- "$current")); return; fi',
                       f'      command="{name} ${{COMP_WORDS[2]}}" ;;']
        flags.append(f'    "{name}") flags="{" ".join(flag for item in command["options"] for flag in item["flags"])}" ;;')
        for item in command['options']:
            if item['value']:
                pattern = '|'.join(f'"{name}:{flag}"' for flag in item['flags'])
                (several if item['several'] else single).append(f'    {pattern}) {bash_offer(item)} ;;')
    parts = {'METRICS': ' '.join(metric_names(metrics)), 'COMMANDS': ' '.join(command_names(main)), 'NESTED': '\n'.join(nested),
             'MODELS': MODELS, 'STUDIES': ' '.join(studies(commands)), 'FLAGS': '\n'.join(flags), 'SINGLE': '\n'.join(single), 'SEVERAL': '\n'.join(several)}
    return re.sub(r'@([A-Z]+)@', lambda match: parts[match[1]], BASH)


# --- zsh

def zsh_quoted(text):
    return text.replace("'", "'\\''")


def zsh_text(text):
    """Text inside the brackets and between the colons of _arguments."""
    return zsh_quoted(re.sub(r'([\\\[\]:])', r'\\\1', text))


def zsh_value(item):
    if not item['value']:
        return ''
    words = ' '.join(choices(item['value']))
    action = {'metrics': '($metrics)', 'models': '_markeval_models', 'folders': '_files -/', 'files': '_files', 'words': f'({words})' if words else ' '}
    return f':{zsh_text(item["value"])}:{action[kind(item["value"])]}'


def zsh_options(command):
    lines = []
    for item in command['options']:
        for flag in item['flags']:
            star = '*' if item['several'] else ''
            lines.append(f"    '{star}{flag}[{zsh_text(item['text'])}]{zsh_value(item)}'")
    return lines


def zsh(main, commands, metrics):
    lines = ['#compdef markeval', '# Completion of markeval for zsh. Written by packaging/shell_files.py from `markeval --help`.',
             '_markeval_models() {', f'  local -a models; models=($({MODELS}))',
             "  _alternative 'models:model:($models)' 'folders:folder:_files -/'", '}',
             '_markeval() {', '  local -a metrics commands', f"  metrics=({' '.join(metric_names(metrics))})", '  commands=(']
    lines += [f"    '{zsh_text(name)}:{zsh_quoted(text)}'" for name, text in main['subcommands']]
    lines += ["    'help:tell more about a command or metric'", '  )', '  if (( CURRENT == 2 )); then',
              "    _describe -t commands 'command' commands", '    return', '  fi', '  local command=$words[2]']
    for command in commands:
        if command['subcommands']:
            name = command['name']
            words = ' '.join(inner for inner, _ in command['subcommands'])
            lines += [f'  if [[ $command == {name} ]]; then',
                      f"    if (( CURRENT == 3 )); then _values 'what' {words}; return; fi",
                      f'    command="{name} $words[3]"', '    shift words; (( CURRENT-- ))', '  fi']
    lines += ['  shift words; (( CURRENT-- ))', '  case $command in',
              "    help) _values 'command or metric' $metrics ${commands%%:*}; return ;;"]
    for command in commands:
        if command['subcommands']:
            continue
        rest = '($metrics)' if command['name'] == 'metrics' else '_files'
        if command['name'] == 'experiment':
            rest = f'({" ".join(studies(commands))})'
        lines += [f'    "{command["name"]}") _arguments -s \\', *(line + ' \\' for line in zsh_options(command)),
                  f"    '*:argument:{rest}' ;;"]
    return '\n'.join([*lines, '  esac', '}', '_markeval "$@"', ''])


# --- fish

def fish_quoted(text):
    return "'" + text.replace('\\', '\\\\').replace("'", "\\'") + "'"


def fish(main, commands, metrics):
    names = metric_names(metrics)
    lines = ['# Completion of markeval for fish. Written by packaging/shell_files.py from `markeval --help`.',
             f'set -l metrics {" ".join(names)}',
             'complete -c markeval -f -n __fish_use_subcommand -s h -l help -d "Print this help"',
             'complete -c markeval -f -n __fish_use_subcommand -s V -l version -d "Print the version"']
    for name, text in [*main['subcommands'], ('help', 'Tell more about a command or metric')]:
        lines.append(f'complete -c markeval -f -n __fish_use_subcommand -a {name} -d {fish_quoted(text)}')
    lines.append(f'complete -c markeval -f -n "__fish_seen_subcommand_from help" -a "{" ".join(command_names(main))} $metrics"')
    lines.append('complete -c markeval -f -n "__fish_seen_subcommand_from metrics" -a "$metrics"')
    lines.append(f'complete -c markeval -f -n "__fish_seen_subcommand_from experiment" -a "{" ".join(studies(commands))}"')
    for command in commands:
        words = command['name'].split()
        seen = '; and '.join(f'__fish_seen_subcommand_from {word}' for word in words)
        for inner, text in command['subcommands']:
            every = ' '.join(name for name, _ in command['subcommands'])
            lines.append(f'complete -c markeval -f -n "{seen}; and not __fish_seen_subcommand_from {every}" -a {inner} -d {fish_quoted(text)}')
        if command['subcommands']:
            continue
        for item in command['options']:
            flags = ' '.join(f'-l {flag[2:]}' if flag.startswith('--') else f'-s {flag[1:]}' for flag in item['flags'])
            value = ''
            if item['value']:
                what, offered = kind(item['value']), ' '.join(choices(item['value']))
                value = {'metrics': ' -x -a "$metrics"', 'models': f' -x -a "({MODELS}) (__fish_complete_directories)"',
                         'folders': ' -x -a "(__fish_complete_directories)"', 'files': ' -r -F',
                         'words': f' -x -a "{offered}"' if offered else ' -x'}[what]
            lines.append(f'complete -c markeval -n "{seen}" {flags}{value} -d {fish_quoted(item["text"])}')
    return '\n'.join(lines) + '\n'
