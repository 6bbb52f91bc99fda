import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import type { JournalProcess, JournalProgram } from './journal-program.ts';
import { parseLogQuery } from './log-query.ts';
import { serviceLogs } from './service-logs.ts';

const UNITS = '--field _SYSTEMD_UNIT';

/** A run of the program in memory. */
interface FakeRun {
  readonly output: readonly string[];
  readonly fails?: boolean;
  /** Never ends on its own. */
  readonly stays?: boolean;
}

/** Runs by their arguments; an absent one cannot be started. */
function fakeJournal(runs: Readonly<Record<string, FakeRun>>) {
  const started: string[] = [];
  let open = 0;
  const journal: JournalProgram = {
    async start(args) {
      const run = runs[args.join(' ')];
      if (run === undefined) throw new Error('ENOENT');
      started.push(args.join(' '));
      open += 1;
      return fakeProcess(run, () => (open -= 1));
    },
  };
  return { journal, started, open: () => open };
}

function fakeProcess({ output, fails = false, stays = false }: FakeRun, onEnd: () => void): JournalProcess {
  const ended = Promise.withResolvers<void>();
  if (!stays) ended.resolve();
  let isDisposed = false;
  async function* read(): AsyncGenerator<Uint8Array, void> {
    for (const text of output) yield Buffer.from(text);
    await ended.promise;
  }
  return {
    output: read(),
    succeeded: ended.promise.then(() => !fails && !stays),
    kill: ended.resolve,
    async [Symbol.asyncDispose]() {
      ended.resolve();
      if (!isDisposed) onEnd();
      isDisposed = true;
    },
  };
}

interface Options {
  readonly clock?: VirtualClock;
  readonly signal?: AbortSignal;
}

function logsOf(
  journal: JournalProgram | undefined,
  parameters: string,
  { clock = createVirtualClock(), signal = new AbortController().signal }: Options = {},
): AsyncGenerator<Uint8Array, void> {
  const parsed = parseLogQuery(new URLSearchParams(parameters));
  if ('errors' in parsed || parsed.query === undefined) throw new Error('it is no query');
  return serviceLogs({ clock, journal, files: { openRoot: () => Promise.resolve(undefined) } }, parsed.query, signal);
}

async function textOf(logs: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of logs) text += Buffer.from(chunk).toString();
  return text;
}

const printed = (more: string): string => `--utc --no-pager --output=short-precise ${more}`;
const units: FakeRun = { output: ['kubelet.service\ncont', 'ainerd.service\n'] };

describe('serviceLogs', () => {
  it('prints the entries of services that have any, by one run of the program', async () => {
    const { journal, started, open } = fakeJournal({
      [UNITS]: units,
      [printed('--unit=kubelet --unit=containerd')]: { output: ['entries\n'] },
    });
    expect(await textOf(logsOf(journal, 'query=kubelet&query=containerd'))).toBe('entries\n');
    expect(started).toHaveLength(2);
    expect(open()).toBe(0);
  });

  it('takes a service whose name is the end of that of a unit, as a kubelet', async () => {
    const { journal } = fakeJournal({ [UNITS]: units, [printed('--unit=elet')]: { output: ['-- No entries --\n'] } });
    expect(await textOf(logsOf(journal, 'query=elet'))).toBe('-- No entries --\n');
  });

  it('looks for files of the others, after the entries', async () => {
    const { journal } = fakeJournal({ [UNITS]: units, [printed('--unit=kubelet')]: { output: ['entries\n'] } });
    expect(await textOf(logsOf(journal, 'query=a&query=kubelet&query=b'))).toBe(
      'entries\n\nlog not found for a\n\nlog not found for b\n',
    );
  });

  it('does not look for files with options', async () => {
    const { journal } = fakeJournal({
      [UNITS]: units,
      [printed('--pager-end --lines=2 --unit=kubelet')]: { output: ['entries\n'] },
    });
    expect(await textOf(logsOf(journal, 'query=a&query=kubelet&query=b&tailLines=2'))).toBe(
      'entries\n\noptions present and query resolved to log files for [a b]\ntry without specifying options\n',
    );
  });

  it.each([
    ['the node has no journal', undefined],
    ['the program is missing', fakeJournal({}).journal],
    ['the program fails', fakeJournal({ [UNITS]: { output: ['kubelet.service\n'], fails: true } }).journal],
  ])('looks for files when %s', async (_, journal) => {
    expect(await textOf(logsOf(journal, 'query=kubelet'))).toBe('\nlog not found for kubelet\n');
  });

  it('prints what a failing program has printed', async () => {
    const { journal } = fakeJournal({
      [UNITS]: units,
      [printed('--unit=kubelet --boot -9')]: { output: ['no such boot\n'], fails: true },
    });
    expect(await textOf(logsOf(journal, 'query=kubelet&boot=-9'))).toBe('no such boot\n');
  });

  it.each([
    ['query=kubelet', '\nerror: journal output not available\n'],
    ['query=kubelet&boot=0', '\nerror: journal output not available\n'],
    ['query=kubelet&boot=-1', ''],
  ])('for %s says "%s" when the program can no longer be started', async (query, expected) => {
    const { journal } = fakeJournal({ [UNITS]: units });
    expect(await textOf(logsOf(journal, query))).toBe(expected);
  });

  it('kills the program after 30 seconds and keeps its output', async () => {
    const clock = createVirtualClock();
    const { journal, open } = fakeJournal({
      [UNITS]: units,
      [printed('--unit=kubelet')]: { output: ['begin\n'], stays: true },
    });
    const logs = logsOf(journal, 'query=kubelet&query=a', { clock });
    expect(Buffer.from((await logs.next()).value!).toString()).toBe('begin\n');
    const rest = textOf(logs);
    await clock.advance(29_999);
    expect(open()).toBe(1);
    await clock.advance(1);
    expect(await rest).toBe('\ncontext error: context deadline exceeded\n');
    expect(open()).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('gives up a list of units that does not end', async () => {
    const clock = createVirtualClock();
    const { journal } = fakeJournal({ [UNITS]: { ...units, stays: true } });
    const text = textOf(logsOf(journal, 'query=kubelet', { clock }));
    await clock.advance(30_000);
    expect(await text).toBe('\ncontext error: context deadline exceeded\n');
  });

  it('ends the program when the client leaves', async () => {
    const client = new AbortController();
    const clock = createVirtualClock();
    const { journal, open } = fakeJournal({
      [UNITS]: units,
      [printed('--unit=kubelet')]: { output: [], stays: true },
    });
    const text = textOf(logsOf(journal, 'query=kubelet&query=a', { clock, signal: client.signal }));
    await clock.advance(1);
    expect(open()).toBe(1);
    client.abort();
    expect(await text).toBe('');
    expect(open()).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends the program when the reader stops between two parts', async () => {
    const { journal, open } = fakeJournal({
      [UNITS]: units,
      [printed('--unit=kubelet')]: { output: ['one\n', 'two\n'], stays: true },
    });
    const logs = logsOf(journal, 'query=kubelet');
    await logs.next();
    await logs.return();
    expect(open()).toBe(0);
  });
});
