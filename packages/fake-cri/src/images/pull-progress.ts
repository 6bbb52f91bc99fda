import type { Clock } from '@rxlet/component-base';
import type { PullProgress, PullProgressReader } from '@rxlet/cri-api/pull-progress';

/** The pulls in flight, whose progress depends on the clock alone. */
export interface PullTracker {
  /** Adds a pull until it is disposed of. It resolves until its download begins. */
  begin(reference: string): TrackedPull;
  readonly read: PullProgressReader['read'];
}

/** A pull in flight. */
export interface TrackedPull extends Disposable {
  /** Begins a download that takes `durationMs`, at a constant rate. */
  download(sizeBytes: number, durationMs: number): void;
}

interface Download {
  readonly startMs: number;
  readonly durationMs: number;
  readonly sizeBytes: number;
}

/** Creates a {@link PullTracker}. */
export function createPullTracker(clock: Clock): PullTracker {
  const inFlight = new Set<{ readonly reference: string; download?: Download }>();
  const progressOf = ({ download }: { readonly download?: Download }): PullProgress => {
    if (download === undefined) return { step: 'resolving' };
    const { startMs, durationMs, sizeBytes } = download;
    const share = durationMs > 0 ? Math.min(1, (clock.monotonicNow() - startMs) / durationMs) : 1;
    return { step: 'downloading', currentBytes: Math.floor(sizeBytes * share), totalBytes: sizeBytes };
  };
  return {
    begin(reference) {
      const pull: { readonly reference: string; download?: Download } = { reference };
      inFlight.add(pull);
      return {
        download(sizeBytes, durationMs) {
          pull.download = { startMs: clock.monotonicNow(), durationMs, sizeBytes };
        },
        [Symbol.dispose]: () => void inFlight.delete(pull),
      };
    },
    async read(pulls) {
      return pulls.map(({ image }) => {
        const found = [...inFlight].find(({ reference }) => reference === image);
        return found && progressOf(found);
      });
    },
  };
}
