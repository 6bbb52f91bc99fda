import type { PersistentVolume, Volume } from '@rxlet/kube-api';

/** Finds the volumes of one kind behind the sources of another, as those of CSI drivers behind in-tree sources (kubelet: csimigration). */
export interface VolumeTranslation {
  /** Returns a persistent volume with its source translated; `undefined` when it has none to translate. @throws Error when it cannot be */
  persistent(volume: PersistentVolume): PersistentVolume | undefined;
  /** Returns the persistent volume that a volume in a pod's spec means; `undefined` when it has no source to translate. @throws Error when it cannot be */
  inline(volume: Volume, podNamespace: string): TranslatedVolume | undefined;
}

/** The persistent volume that a volume in a pod's spec means. */
export interface TranslatedVolume {
  readonly volume: PersistentVolume;
  /** The pod may only read. */
  readonly readOnly: boolean;
}
