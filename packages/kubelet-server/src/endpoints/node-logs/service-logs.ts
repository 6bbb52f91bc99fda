import { type Clock, onAbort } from '@rxlet/component-base';
import { type LogFiles, serviceFileLog } from './file-logs.ts';
import { journalArguments, UNITS_ARGUMENTS } from './journal-arguments.ts';
import type { JournalProgram } from './journal-program.ts';
import { hasOptions, type LogQuery } from './log-query.ts';

/** Ports of {@link serviceLogs}. */
export interface ServiceLogsPorts {
  readonly clock: Clock;
  /** Absent: the node has no journal. */
  readonly journal: JournalProgram | undefined;
  readonly files: LogFiles;
}

/** Time for one query, as in the kubelet. */
const QUERY_TIMEOUT_MS = 30_000;
const TIMEOUT_REASON = 'context deadline exceeded';

/**
 * Yields the logs of services, from the journal and from files. A failure is part of the output, in the words of the kubelet. The output is cut off at the deadline.
 * `signal` ends it at once.
 */
export async function* serviceLogs(
  { clock, journal, files }: ServiceLogsPorts,
  { services, options }: LogQuery,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const timeout = new AbortController();
  using _ = clock.setTimer(QUERY_TIMEOUT_MS, () => timeout.abort());
  const run: Run = { deadline: timeout.signal, signal };

  const unitsWithLogs = await findUnits(journal, services, run);
  const native = services.filter((service) => unitsWithLogs.has(service));
  const others = services.filter((service) => !unitsWithLogs.has(service));
  if (native.length > 0) {
    try {
      yield* readProgram(journal, journalArguments(native, options), run);
    } catch {
      if (signal.aborted) return;
      if ((options.boot ?? 0n) === 0n) yield text('\nerror: journal output not available\n');
    }
  }
  if (others.length === 0 || signal.aborted) return;
  if (hasOptions(options)) {
    const names = others.join(' ');
    yield text(`\noptions present and query resolved to log files for [${names}]\ntry without specifying options\n`);
    return;
  }
  const abortReason = (): string | undefined => (timeout.signal.aborted ? TIMEOUT_REASON : undefined);
  if (timeout.signal.aborted) yield text(`\ncontext error: ${TIMEOUT_REASON}\n`);
  else for (const service of others) yield* serviceFileLog(files, service, abortReason);
}

/** Ends of a query that come from outside. */
interface Run {
  /** Kills programs, whose output so far is kept. */
  readonly deadline: AbortSignal;
  /** Drops everything. */
  readonly signal: AbortSignal;
}

/**
 * Returns the services that have entries in the journal; none when that cannot be found out. As in the kubelet, a service counts when a unit's name ends with that of the
 * service.
 */
async function findUnits(
  journal: JournalProgram | undefined,
  services: readonly string[],
  run: Run,
): Promise<ReadonlySet<string>> {
  const pending = new Set(services);
  const found = new Set<string>();
  const longest = Math.max(...services.map((service) => unitOf(service).length));
  let rest = '';
  const look = (chunk: Uint8Array): void => {
    const window = rest + Buffer.from(chunk).toString('latin1');
    for (const service of pending) {
      if (window.includes(unitOf(service)) && pending.delete(service)) found.add(service);
    }
    // The list has no bound; a name may be in two chunks.
    rest = window.slice(-longest);
  };
  try {
    const program = readProgram(journal, UNITS_ARGUMENTS, run);
    for (let next = await program.next(); ; next = await program.next()) {
      if (next.done === true) return next.value ? found : new Set();
      look(next.value);
    }
  } catch {
    return new Set();
  }
}

function unitOf(service: string): string {
  return `${service}.service`;
}

/** Yields the output of a program and returns whether it has succeeded. Throws when it cannot be started. */
async function* readProgram(
  journal: JournalProgram | undefined,
  args: readonly string[],
  { deadline, signal }: Run,
): AsyncGenerator<Uint8Array, boolean> {
  if (journal === undefined) throw new Error('the node has no journal');
  AbortSignal.any([deadline, signal]).throwIfAborted();
  await using running = await journal.start(args);
  using _kill = onAbort(deadline, () => running.kill());
  using _drop = onAbort(signal, () => void running[Symbol.asyncDispose]());
  yield* running.output;
  return await running.succeeded;
}

function text(content: string): Uint8Array {
  return Buffer.from(content);
}
