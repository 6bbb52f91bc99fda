import type { PullProgress, PullProgressSource } from '@rxlet/cri-api/pull-progress';
import { createLayerProgress, type LayerProgress } from './layer-progress.ts';

/** The pulls in flight. */
export interface Pulls {
  /** Adds a pull of an image until it is disposed of. */
  begin(image: string): Disposable & Pick<LayerProgress, 'add'>;
  /** Reports the progress of the pulls. */
  readonly source: PullProgressSource;
}

/** Creates {@link Pulls}. */
export function createPulls(): Pulls {
  const inFlight = new Set<{ readonly image: string; readonly layers: LayerProgress }>();
  const progressOf = (image: string): PullProgress | undefined =>
    [...inFlight].find((pull) => pull.image === image)?.layers.progress();
  return {
    begin(image) {
      const pull = { image, layers: createLayerProgress() };
      inFlight.add(pull);
      return { add: pull.layers.add, [Symbol.dispose]: () => void inFlight.delete(pull) };
    },
    source: {
      name: 'Docker',
      open: () => ({
        read: async (pulls) => pulls.map(({ image }) => progressOf(image)),
        [Symbol.dispose]: () => undefined,
      }),
    },
  };
}
