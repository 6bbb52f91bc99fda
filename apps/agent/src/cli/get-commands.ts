import { Argument, type Command, Option } from 'commander';
import { UsageError } from '../config/config-error.ts';
import type { CommandDeps } from './command-deps.ts';
import { withExamples } from './examples.ts';
import { addListedNamespaces, namespaceOfPod, selectorOption, shortValue } from './options.ts';

/** Kinds that completions offer. */
const KINDS = ['pods', 'events', 'nodes', 'manifests'];

interface GetFlags {
  readonly namespace?: string;
  readonly allNamespaces?: true;
  readonly output?: string;
  readonly watch: boolean;
  readonly watchOnly: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly sortBy?: string;
  readonly showLabels: boolean;
  readonly labelColumns?: string;
  readonly headers: boolean;
  readonly ignoreNotFound: boolean;
}

/** Adds the commands that list and show objects, with the flags of kubectl's commands of the same names. */
export function addGetCommands(program: Command, deps: CommandDeps): void {
  const kindAndNames = (what: string): Argument => new Argument('<kind...>', what);
  withExamples(
    addListedNamespaces(program.command('get'), 'objects')
      .description('list pods, events, the node, or manifests')
      .addArgument(kindAndNames(`${KINDS.join(', ')}; then names, or pod/NAME`))
      .addOption(
        new Option(
          '-o, --output <format>',
          'wide, name, json, yaml, jsonpath=…, jsonpath-as-json=… or custom-columns=…',
        ).argParser(shortValue),
      )
      .option('-w, --watch', 'continue with a line for each change', false)
      .option('--watch-only', 'only changes, not what there is', false)
      .addOption(selectorOption())
      .option('--field-selector <fields>', "only objects with these fields: 'status.phase!=Running'")
      .option('--sort-by <path>', "order by a field: '.status.startTime'")
      .option('--show-labels', 'a column of all labels', false)
      .addOption(new Option('-L, --label-columns <labels>', 'a column for each of these labels').argParser(shortValue))
      .option('--no-headers', 'no header')
      .option('--ignore-not-found', 'a name that does not exist is no error', false),
    'rxlet get pods -o wide',
    'rxlet get po web db -l app=shop --show-labels',
    "rxlet get pods -o jsonpath='{.items[*].status.podIP}'",
    'rxlet get events --field-selector involvedObject.name=web-node1',
    'rxlet get manifests              # the refused ones, and why',
  ).action(async (words: readonly string[], flags: GetFlags) => {
    const { parseTargets } = await import('../resources/kinds.ts');
    const { parseOutputFormat } = await import('../commands/output-format.ts');
    const { getResources } = await import('../commands/get-resources.ts');
    const targets = parseTargets(words);
    if (flags.allNamespaces === true && targets.some(({ names }) => names.length > 0))
      throw new UsageError('a resource cannot be retrieved by name across all namespaces');
    const output = flags.output === undefined ? ({ kind: 'table' } as const) : parseOutputFormat(flags.output);
    const { connection, terminal, clock } = await deps.context();
    await getResources(connection, terminal, clock, {
      ...flags,
      watch: flags.watch || flags.watchOnly,
      targets,
      output,
      noHeaders: !flags.headers,
      labelColumns: flags.labelColumns?.split(','),
    });
  });

  withExamples(
    program
      .command('describe')
      .description('show all about pods, or the node')
      .addArgument(kindAndNames('pod or node, then names; or pod/NAME'))
      .addOption(namespaceOfPod())
      .addOption(selectorOption()),
    'rxlet describe pod web',
    'rxlet describe pod/web pod/db',
    'rxlet describe node',
  ).action(async (words: readonly string[], flags: { namespace: string; selector?: string }) => {
    const { parseTargets } = await import('../resources/kinds.ts');
    const { describeObjects } = await import('../commands/describe.ts');
    const { connection, terminal, clock } = await deps.context();
    await describeObjects(connection, terminal, clock, { ...flags, targets: parseTargets(words) });
  });

  withExamples(
    program
      .command('wait')
      .summary('wait for a condition of pods')
      .description('wait until pods have a condition or a value, or are gone')
      .addArgument(kindAndNames('pod, then names; or pod/NAME'))
      .requiredOption(
        '--for <goal>',
        "condition=Ready, condition=Ready=false, delete, or jsonpath='{.status.phase}'=Running",
      )
      .option('--timeout <duration>', 'fail after this time; 0 only looks, -1s waits a week', '30s')
      .addOption(namespaceOfPod())
      .addOption(selectorOption()),
    'rxlet wait --for=condition=Ready pod/web --timeout=60s',
    "rxlet wait pod web --for=jsonpath='{.status.phase}'=Succeeded",
    'rxlet wait --for=delete pod -l app=shop',
  ).action(
    async (words: readonly string[], flags: { for: string; timeout: string; namespace: string; selector?: string }) => {
      const { parseTargets } = await import('../resources/kinds.ts');
      const { waitForPods } = await import('../commands/wait.ts');
      const { connection, terminal, clock } = await deps.context();
      await waitForPods(connection, terminal, clock, { ...flags, goal: flags.for, targets: parseTargets(words) });
    },
  );
}
