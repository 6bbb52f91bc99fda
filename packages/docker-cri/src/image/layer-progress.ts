import type { PullProgress } from '@rxlet/cri-api/pull-progress';

/** A message of Docker's pull stream. Fields are as they came. */
export interface PullMessage {
  readonly status?: unknown;
  /** Layer that the message concerns; in the first message the tag. */
  readonly id?: unknown;
  readonly progressDetail?: unknown;
  readonly error?: unknown;
}

/** Progress of a pull, from the messages of its layers. */
export interface LayerProgress {
  add(message: PullMessage): void;
  progress(): PullProgress;
}

interface Layer {
  readonly isDownloaded: boolean;
  /** Present before the pull, so that Docker does not report its size. */
  readonly isOld: boolean;
  readonly currentBytes: number;
  /** Absent until Docker reports it. */
  readonly totalBytes?: number | undefined;
}

const WAITING: Layer = { isDownloaded: false, isOld: false, currentBytes: 0 };
/** Bounds the layers of one pull; an image has 127 at most. */
const MAX_LAYERS = 1000;
const BEGUN = ['Pulling fs layer', 'Waiting', 'Downloading'];
const DOWNLOADED = ['Verifying Checksum', 'Download complete', 'Extracting', 'Pull complete', 'Already exists'];

/** Creates a {@link LayerProgress}. Layers that were present before count in neither figure, because Docker does not report their sizes. */
export function createLayerProgress(): LayerProgress {
  const layers = new Map<string, Layer>();
  return {
    add({ status, id, progressDetail }) {
      if (typeof id !== 'string' || typeof status !== 'string') return;
      const isDownloaded = DOWNLOADED.includes(status);
      if (!isDownloaded && !BEGUN.includes(status)) return;
      const layer = layers.get(id) ?? WAITING;
      if (layer === WAITING && layers.size >= MAX_LAYERS) return;
      const { current, total } = (progressDetail ?? {}) as { current?: unknown; total?: unknown };
      const totalBytes = isSize(total) && total > 0 ? total : layer.totalBytes;
      // The figures of an extraction begin at 0 again.
      const reported = status === 'Downloading' && isSize(current) ? current : layer.currentBytes;
      layers.set(id, {
        isDownloaded,
        isOld: status === 'Already exists',
        currentBytes: isDownloaded ? (totalBytes ?? reported) : Math.min(reported, totalBytes ?? Infinity),
        totalBytes,
      });
    },
    progress() {
      if (layers.size === 0) return { step: 'resolving' };
      const pulled = [...layers.values()].filter(({ isOld }) => !isOld);
      const step = pulled.every(({ isDownloaded }) => isDownloaded) ? 'unpacking' : 'downloading';
      const currentBytes = pulled.reduce((sum, layer) => sum + layer.currentBytes, 0);
      // Layers wait for others before Docker reports their sizes.
      if (pulled.length === 0 || pulled.some(({ totalBytes }) => totalBytes === undefined))
        return { step, currentBytes };
      return { step, currentBytes, totalBytes: pulled.reduce((sum, layer) => sum + layer.totalBytes!, 0) };
    },
  };
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
