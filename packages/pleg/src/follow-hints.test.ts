import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { type ContainerHint, type HintSource, HintsUnsupported } from './container-hints.ts';
import { followHints } from './follow-hints.ts';

/** A source that counts how often it was opened. */
function source(name: string, open: HintSource['open']): HintSource & { opened: number } {
  const made = {
    name,
    opened: 0,
    open(signal: AbortSignal) {
      made.opened += 1;
      return open(signal);
    },
  };
  return made;
}

const unsupported = (name: string) =>
  source(name, async function* () {
    await Promise.resolve();
    throw new HintsUnsupported('no such RPC');
  });
const empty = (name: string) =>
  source(name, async function* () {
    await Promise.resolve();
  });
const working = (name: string) =>
  source(name, async function* (signal) {
    yield { containerId: `of ${name}`, kind: 'started' };
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  });

function bench(...sources: readonly HintSource[]) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const controller = new AbortController();
  const hints: ContainerHint[] = [];
  const changes: (string | undefined)[] = [];
  const metrics = { connected: 0, failed: 0 };
  const following = followHints(
    sources,
    {
      clock,
      random: seededRandom(1),
      logger,
      metrics: { hintsConnected: () => (metrics.connected += 1), hintsFailed: () => (metrics.failed += 1) },
      onHint: (hint) => hints.push(hint),
      onChange: (followed) => changes.push(followed?.name),
    },
    controller.signal,
  );
  return { clock, logger, controller, hints, changes, metrics, following };
}

describe('followHints', () => {
  it('follows the first source that the runtime supports', async () => {
    const last = working('last');
    const { clock, controller, hints, changes, following } = bench(unsupported('first'), working('second'), last);
    await clock.advance(60_000);
    expect(hints).toEqual([{ containerId: 'of second', kind: 'started' }]);
    expect(changes).toEqual(['second']);
    expect(last.opened).toBe(0);
    controller.abort();
    await following;
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends, with one log line, when no source is supported', async () => {
    const { clock, logger, following } = bench(unsupported('first'), unsupported('second'));
    await following;
    expect(logger.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'info the container runtime offers no event stream; polling it',
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('counts events as unsupported when their stream repeatedly ends at once, and warns once', async () => {
    const cri = empty('CRI GetContainerEvents');
    const { clock, logger, changes, metrics, following } = bench(unsupported('events of containerd'), cri);
    await clock.advance(600_000);
    await following;
    expect(cri.opened).toBe(3);
    expect(changes).toEqual([]);
    expect(metrics).toEqual({ connected: 0, failed: 0 });
    expect(logger.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { source: 'CRI GetContainerEvents' } },
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('opens a stream again that ended at once only because the runtime was stopping', async () => {
    let stopping = true;
    const running = working('cri');
    const { clock, controller, changes, logger, following } = bench(
      source('cri', (signal) => (stopping ? empty('cri') : running).open(signal)),
    );
    await clock.advance(10);
    stopping = false;
    await clock.advance(10_000);
    expect(changes).toEqual(['cri']);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    controller.abort();
    await following;
  });

  it('counts a stream as open only when its connection was answered', async () => {
    const answered = Promise.withResolvers<void>();
    const { clock, changes, controller, following } = bench(
      source('events', (signal) => ({
        connected: answered.promise,
        async *[Symbol.asyncIterator]() {
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        },
      })),
    );
    await clock.advance(60_000);
    expect(changes).toEqual([]);
    answered.resolve();
    await clock.advance(500);
    expect(changes).toEqual(['events']);
    controller.abort();
    await following;
    expect(clock.pendingTimers).toBe(0);
  });
});
