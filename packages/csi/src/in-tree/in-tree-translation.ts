import type { TranslatedVolume, VolumeTranslation } from '@rxlet/agent-api/volumes';
import type { PersistentVolume, PersistentVolumeSpec, Volume } from '@rxlet/kube-api';
import type { InTreeField, InTreeKind } from './in-tree-kind.ts';
import { inTreeKinds } from './in-tree-kinds.ts';

/** Longest name of a directory, in bytes. */
const MAX_NAME_BYTES = 255;
/** Longest handle of a source in a pod's spec. Those of attached volumes are in the status of the node. */
const MAX_HANDLE_BYTES = 1_024;

/** Fields of the sources that {@link inTreeTranslation} translates. */
export const inTreeFields = Object.keys(inTreeKinds) as readonly InTreeField[];

/** Finds the volumes of CSI drivers behind in-tree sources. Errors have the kubelet's messages. */
export const inTreeTranslation: VolumeTranslation = {
  persistent(volume) {
    const field = fieldOf(volume.spec ?? {});
    return field && translated(() => persistentOf(inTreeKinds[field], volume));
  },
  inline(volume, podNamespace) {
    const field = fieldOf(volume);
    return field && translated(() => inlineOf(inTreeKinds[field], volume, podNamespace));
  },
};

function fieldOf(sources: Readonly<Partial<Record<InTreeField, unknown>>>): InTreeField | undefined {
  return inTreeFields.find((field) => sources[field] !== undefined);
}

function translated<T>(translate: () => T): T {
  try {
    return translate();
  } catch (error) {
    throw new Error(`failed to translate in-tree pv to CSI: ${(error as Error).message}`, { cause: error });
  }
}

function persistentOf<Field extends InTreeField>(kind: InTreeKind<Field>, volume: PersistentVolume): PersistentVolume {
  const { [kind.field]: source, nodeAffinity, accessModes, ...spec } = volume.spec as PersistentVolumeSpec;
  const affinity = kind.nodeAffinity === undefined ? nodeAffinity : kind.nodeAffinity(volume);
  const modes = accessModes && (kind.accessModes?.(accessModes) ?? accessModes);
  return {
    ...volume,
    spec: {
      ...(spec as PersistentVolumeSpec),
      csi: { driver: kind.driver, ...kind.persistentSource(source!, volume) },
      ...(affinity !== undefined && { nodeAffinity: affinity }),
      ...(modes !== undefined && { accessModes: modes }),
    },
  };
}

function inlineOf<Field extends InTreeField>(
  kind: InTreeKind<Field>,
  volume: Volume,
  podNamespace: string,
): TranslatedVolume {
  const inTree = volume[kind.field] as NonNullable<Volume[Field]> & { readonly readOnly?: boolean };
  const source = kind.inlineSource(inTree, volume, podNamespace);
  const { name = `${kind.driver}-${source.volumeHandle}`, accessMode = 'ReadWriteOnce', ...driverSource } = source;
  if (Buffer.byteLength(name) > MAX_NAME_BYTES || Buffer.byteLength(source.volumeHandle) > MAX_HANDLE_BYTES)
    throw new Error(`the names in ${kind.field} are too long for a volume`);
  return {
    readOnly: inTree.readOnly === true,
    volume: {
      // The kubelet replaces it in the names of directories as well.
      metadata: { name: name.replaceAll('/', '~') },
      spec: { csi: { driver: kind.driver, ...driverSource }, accessModes: [accessMode] },
    },
  };
}
