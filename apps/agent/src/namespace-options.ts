import { type Command, Option } from 'commander';

/** `-n` of a command about one pod. */
export function namespaceOfPod(): Option {
  return new Option('-n, --namespace <name>', 'namespace of the pod').default('default');
}

/** Adds `-n` and `-A` to a command that lists `what`, by default of every namespace. */
export function addListedNamespaces(command: Command, what: string): Command {
  return command
    .option('-n, --namespace <name>', `only ${what} of this namespace`)
    .addOption(new Option('-A, --all-namespaces', `${what} of every namespace, as without -n`).conflicts('namespace'));
}
