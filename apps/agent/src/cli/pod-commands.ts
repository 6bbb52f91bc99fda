import { type Command, Option } from 'commander';
import { UsageError } from '../config/config-error.ts';
import type { CommandDeps } from './command-deps.ts';
import { withExamples } from './examples.ts';
import {
  addListedNamespaces,
  containerOption,
  namespaceOfPod,
  selectorOption,
  shortValue,
  wholeNumber,
} from './options.ts';

interface LogsFlags {
  readonly namespace: string;
  readonly container?: string;
  readonly selector?: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tail?: number;
  readonly since?: string;
  readonly sinceTime?: string;
  readonly limitBytes?: number;
  readonly allContainers: boolean;
  readonly prefix: boolean;
}

/** Adds the commands about what pods do: their logs and events, why they wait, restarts in place. */
export function addPodCommands(program: Command, deps: CommandDeps): void {
  withExamples(
    program
      .command('logs')
      .description("print a container's log")
      .argument('[pod]', 'name of the pod, or pod/NAME')
      .argument('[container]', 'which container, as with -c')
      .addOption(namespaceOfPod())
      .addOption(containerOption())
      .addOption(selectorOption())
      .option('-f, --follow', 'go on as the log grows', false)
      .option('-p, --previous', 'the instance before the current one', false)
      .option('--timestamps', 'begin each line with its time', false)
      .option('--tail <lines>', 'only so many lines from the end', wholeNumber)
      .option('--since <duration>', 'only lines younger than this, e.g. 5m')
      .option('--since-time <time>', 'only lines from this time on, e.g. 2026-01-31T08:00:00Z')
      .option('--limit-bytes <bytes>', 'so many bytes of each log at most', wholeNumber)
      .option('--all-containers', 'the logs of all containers of the pod', false)
      .option('--prefix', 'begin each line with its pod and container', false),
    'rxlet logs -f web',
    'rxlet logs web nginx --tail 20',
    'rxlet logs -p pod/web            # why did it crash?',
  ).action(async (pod: string | undefined, second: string | undefined, flags: LogsFlags) => {
    const { container, selector } = flags;
    if (second !== undefined && container !== undefined)
      throw new UsageError('only one of -c or an inline [CONTAINER] arg is allowed');
    if (pod === undefined && selector === undefined)
      throw new UsageError('expected "logs POD [CONTAINER]", or a selector: rxlet logs -l app=web');
    if (pod !== undefined && selector !== undefined)
      throw new UsageError('only a selector (-l) or a POD name is allowed');
    const { printLogs } = await import('../commands/logs.ts');
    const { connection, terminal } = await deps.context();
    const chosen = second ?? container;
    await printLogs(connection, terminal, { ...flags, pod, ...(chosen !== undefined && { container: chosen }) });
  });

  withExamples(
    addListedNamespaces(program.command('events'), 'events')
      .description('list what happened to the pods')
      .option('-w, --watch', 'go on as events come', false)
      .option('--for <object>', 'only events of this object: pod/NAME')
      .option('--types <types>', 'only events of these types: Warning, Normal')
      .option('--no-headers', 'no header'),
    'rxlet events -w',
    'rxlet events --for pod/web --types Warning',
  ).action(async (flags: { watch: boolean; namespace?: string; for?: string; types?: string; headers: boolean }) => {
    const { printEvents } = await import('../commands/events.ts');
    const { connection, terminal, clock } = await deps.context();
    const { for: about, ...rest } = flags;
    await printEvents(connection, terminal, clock, { ...rest, about, noHeaders: !flags.headers });
  });

  withExamples(
    program
      .command('explain')
      .summary('say why a pod waits')
      .description('say why a pod waits: what it waits for, since when, its last error, and what would help')
      .argument('[pod]', 'name of the pod; without it, the node and all pods that are not as desired')
      .addOption(namespaceOfPod())
      .addOption(new Option('-o, --output <format>', 'form of the output').choices(['text', 'json']).default('text'))
      .option('-w, --watch', 'go on with each change', false),
    'rxlet explain',
    'rxlet explain web --watch',
  ).action(async (pod: string | undefined, options: { namespace: string; output: 'text' | 'json'; watch: boolean }) => {
    const { explain } = await import('../commands/explain.ts');
    const { connection, terminal, clock } = await deps.context();
    await explain(connection, terminal, clock, pod, options);
  });

  withExamples(
    program
      .command('restart')
      .summary('restart containers in place')
      .description('restart the containers of a pod in place, without its controller or the API server')
      .helpGroup('Act:')
      .argument('<pod>', 'name of the pod')
      .addOption(namespaceOfPod())
      .addOption(new Option('-c, --container <name>', 'only this container').argParser(shortValue)),
    'rxlet restart web',
    'rxlet restart web -c nginx',
  ).action(async (pod: string, options: { namespace: string; container?: string }) => {
    const { restart } = await import('../commands/restart.ts');
    const { connection, terminal } = await deps.context();
    await restart(connection, terminal, pod, options);
  });
}
