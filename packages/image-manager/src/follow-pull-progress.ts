import type { ImagePull } from '@rxlet/agent-api/images';
import { type Clock, createLifetime, errorMessage, type Logger, sleep, withDeadline } from '@rxlet/component-base';
import { type CurrentValue, follow } from '@rxlet/component-base/streams';
import type { PullInFlight, PullProgress, PullProgressReader, PullProgressSource } from '@rxlet/cri-api/pull-progress';

/** Ports of {@link followPullProgress}. */
export interface PullProgressPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly source: PullProgressSource;
  /** The queue of the pulls. */
  readonly queue: {
    readonly pulls: CurrentValue<readonly ImagePull[]>;
    running(): readonly PullInFlight[];
    setProgress(progress: ReadonlyMap<PullInFlight, PullProgress | undefined>): void;
  };
}

/** Pause between two reads, and before the first one: a short pull costs none. */
const PERIOD_MS = 1000;
/** Longest pause, which is reached by doubling while reads fail. */
const MAX_PERIOD_MS = 60_000;
const READ_TIMEOUT_MS = 5000;

/**
 * Reads the progress of the running pulls once a second, one read at a time, and sets it in the queue. Nothing runs while no pull does. A source that fails or hangs is
 * read less and less often, also by later pulls; one that never reports progress is read once. Disposal ends a read.
 */
export function followPullProgress({ clock, logger, source, queue }: PullProgressPorts): AsyncDisposable {
  const lifetime = createLifetime();
  let periodMs = PERIOD_MS;
  let isUnsupported = false;
  let reading: AbortController | undefined;

  const read = async (reader: PullProgressReader, signal: AbortSignal): Promise<void> => {
    const pulls = queue.running();
    const progress = await withDeadline(clock, READ_TIMEOUT_MS, signal, (readSignal) => reader.read(pulls, readSignal));
    queue.setProgress(new Map(pulls.map((pull, index) => [pull, checked(progress[index])])));
    periodMs = PERIOD_MS;
  };
  /** Reads until a read fails. */
  const readOn = async (signal: AbortSignal): Promise<void> => {
    using reader = source.open();
    for (;;) {
      await sleep(clock, periodMs, signal);
      await read(reader, signal);
    }
  };
  const failed = (error: unknown): void => {
    isUnsupported = error instanceof Error && (error as { reason?: unknown }).reason === 'Unsupported';
    periodMs = Math.min(periodMs * 2, MAX_PERIOD_MS);
    // What was last read may be wrong by now.
    queue.setProgress(new Map(queue.running().map((pull) => [pull, undefined])));
    logger.debug('cannot read the progress of image pulls', { source: source.name, error: errorMessage(error) });
  };
  const readWhilePulling = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && !isUnsupported) {
      await readOn(signal).catch((error: unknown) => signal.aborted || failed(error));
    }
  };

  const following = follow(queue.pulls.value$, {
    task: 'reading the progress of image pulls',
    logger,
    next(pulls) {
      const isPulling = pulls.some(({ phase }) => phase === 'pulling');
      if (isPulling && reading === undefined && !isUnsupported) {
        reading = new AbortController();
        void lifetime.track(readWhilePulling(AbortSignal.any([reading.signal, lifetime.signal])));
      } else if (!isPulling) {
        reading?.abort();
        reading = undefined;
      }
    },
  });
  lifetime.defer(() => following.unsubscribe());
  return lifetime;
}

/** Returns progress whose figures are in order; a runtime may report anything. */
function checked(progress: PullProgress | undefined): PullProgress | undefined {
  if (progress === undefined) return undefined;
  const { step, currentBytes, totalBytes } = progress;
  const current = isSize(currentBytes) ? currentBytes : undefined;
  const total = isSize(totalBytes) && totalBytes >= (current ?? 0) ? totalBytes : undefined;
  return {
    step,
    ...(current !== undefined && { currentBytes: current }),
    ...(total !== undefined && { totalBytes: total }),
  };
}

function isSize(bytes: number | undefined): bytes is number {
  return Number.isSafeInteger(bytes) && bytes! >= 0;
}
