/**
 * Benchmark (`npm run bench`): prints the costs of the parts on this machine, without a verdict.
 *
 * `-- --only NAME` runs one part (repeat it for several), `--long` takes more samples, `--profile` lists the functions in which the measured agent spends its
 * CPU time, `--pods N` sets the size of a node in parts that measure several (repeat it), `--list` lists the parts.
 *
 * `--report FILE` measures this agent as a program, and with `--external "COMMAND"` another agent in turns with it, and writes a document. `--rounds N` sets the number of
 * turns.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { BenchPart } from './bench-part.ts';

/** Each part is loaded when it runs, so that a run is neither slowed down nor stopped by the parts that were not requested. */
const parts: readonly BenchPart[] = [
  {
    name: 'fake-runtime',
    about: 'the fake runtime alone',
    byDefault: true,
    run: async (run) => (await import('./fake-runtime.ts')).benchFakeRuntime(run),
  },
  {
    name: 'cri-calls',
    about: 'calls over a socket',
    byDefault: true,
    run: async (run) => (await import('./cri-calls.ts')).benchCriCalls(run),
  },
  {
    name: 'relist',
    about: 'relists of 500 and 2,000 pods',
    byDefault: true,
    run: async (run) => (await import('./relist.ts')).benchRelist(run),
  },
  {
    name: 'worker-steps',
    about: 'pod workers with nothing to do',
    byDefault: true,
    run: async (run) => (await import('./worker-steps.ts')).benchWorkerSteps(run),
  },
  {
    name: 'manifests',
    about: 'reading 1 to 2,000 manifests, and large ones',
    byDefault: true,
    run: async (run) => (await import('./manifest-reading.ts')).benchManifestReading(run),
  },
  {
    name: 'startup',
    about: '1, 100 and 500 pods from manifests to Running',
    byDefault: true,
    run: async (run) => (await import('./startup.ts')).benchStartup(run),
  },
  {
    name: 'journal',
    about: '100 pods with the journal and without it, in turns: start and rest',
    byDefault: false,
    run: async (run) => (await import('./journal.ts')).benchJournal(run),
  },
  {
    name: 'volumes',
    about: '100 pods with volumes and cgroups, beside 100 plain ones',
    byDefault: true,
    run: async (run) => (await import('./volume-startup.ts')).benchVolumeStartup(run),
  },
  {
    name: 'exits',
    about: 'from the exit of a container to the next one',
    byDefault: true,
    run: async (run) => (await import('./exits.ts')).benchExits(run),
  },
  {
    name: 'hung-pods',
    about: 'the same while a pod cannot be read',
    byDefault: true,
    run: async (run) => (await import('./exits.ts')).benchHungPods(run),
  },
  {
    name: 'rest',
    about: 'calls, CPU and memory while nothing happens',
    byDefault: true,
    run: async (run) => (await import('./rest.ts')).benchRest(run),
  },
  {
    name: 'command',
    about: 'the command rxlet as it is, from source and as it was built',
    byDefault: true,
    run: async (run) => (await import('./rxlet-command.ts')).benchRxletCommand(run),
  },
  {
    name: 'lives',
    about: 'heap growth over many lives of pods',
    byDefault: true,
    run: async (run) => (await import('./lives.ts')).benchLives(run),
  },
  {
    name: 'prober',
    about: '500 probes a second of each kind',
    byDefault: true,
    run: async (run) => (await import('./prober.ts')).benchProber(run),
  },
  {
    name: 'rejected-pods',
    about: '1,000 pods (--long: 10,000) bound to a node with room for 110, and a deletion meanwhile',
    byDefault: false,
    run: async (run) => (await import('./rejected-pods.ts')).benchRejectedPods(run),
  },
  {
    name: 'big-node',
    about: '100 to 5,000 pods of an API server on one agent: start, rest, one change, cut watch, adoption',
    byDefault: false,
    run: async (run) => (await import('./big-node.ts')).benchBigNode(run),
  },
  {
    name: 'burst',
    about: 'memory after 1,000 lives of pods, beside 100 others',
    byDefault: false,
    run: async (run) => (await import('./big-node.ts')).benchBurst(run),
  },
  {
    name: 'fleet',
    about:
      'rxlet-fleet with 100 nodes of ten pods (--long: 500, 1,000 and 2,000), on a real API server where there is one',
    byDefault: false,
    run: async (run) => (await import('./fleet.ts')).benchFleet(run),
  },
  {
    name: 'containerd',
    about: 'startup and exits on a real containerd',
    byDefault: false,
    run: async (run) => (await import('./containerd.ts')).benchContainerd(run),
  },
];

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    long: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    pods: { type: 'string', multiple: true },
    list: { type: 'boolean', default: false },
    report: { type: 'string' },
    external: { type: 'string' },
    rounds: { type: 'string', default: '3' },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const load = (): string => `load ${loadavg()[0]!.toFixed(2)}`;

// exit() also ends the processes beside it.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const unknown = flags.only?.filter((name) => !parts.some((part) => part.name === name)) ?? [];
if (flags.list || unknown.length > 0) {
  for (const name of unknown) print(`there is no part ${name}; the parts are:`);
  for (const { name, about, byDefault } of parts)
    print(`${name.padEnd(14)}${about}${byDefault ? '' : ' (only on request)'}`);
  process.exitCode = unknown.length > 0 ? 2 : 0;
} else if (flags.report !== undefined) {
  const { writeReport } = await import('./report/write-report.ts');
  await writeReport({ path: flags.report, external: flags.external, rounds: Number(flags.rounds), print });
} else {
  print(`Node ${process.version}, ${String(cpus().length)} × ${cpus()[0]?.model ?? 'unknown CPU'}, ${load()}`);
  for (const { name, byDefault, run } of parts) {
    if (!(flags.only?.includes(name) ?? byDefault)) continue;
    print(`${name} (${load()})`);
    await run({
      print: (line) => print(`  ${line}`),
      long: flags.long,
      profile: flags.profile,
      podCounts: flags.pods?.map(Number),
    });
  }
}
