import { type Command, InvalidArgumentError, Option } from 'commander';

/** Returns the value of a short option as kubectl's flags take it: `-o=name` is `-o name`. */
export function shortValue(text: string): string {
  return text.startsWith('=') ? text.slice(1) : text;
}

/** `-n` of a command about one pod. */
export function namespaceOfPod(): Option {
  return new Option('-n, --namespace <name>', 'namespace of the pod').default('default').argParser(shortValue);
}

/** Adds `-n` and `-A` to a command that lists `what`, by default of every namespace. */
export function addListedNamespaces(command: Command, what: string): Command {
  return command
    .addOption(new Option('-n, --namespace <name>', `only ${what} of this namespace`).argParser(shortValue))
    .addOption(new Option('-A, --all-namespaces', `${what} of every namespace, as without -n`).conflicts('namespace'));
}

/** `-c` of a command about one container. */
export function containerOption(): Option {
  const text = 'which container, if not the first or the one that the pod names as its default';
  return new Option('-c, --container <name>', text).argParser(shortValue);
}

/** `-l` of a command that chooses pods. */
export function selectorOption(): Option {
  const text = "only objects with these labels: 'app=web,tier!=db', 'app in (web, db)'";
  return new Option('-l, --selector <labels>', text).argParser(shortValue);
}

/** Parses a whole number that is not negative. @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
