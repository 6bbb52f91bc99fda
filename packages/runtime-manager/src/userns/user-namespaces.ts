import { create } from '@bufbuild/protobuf';
import { createSemaphore, errorMessage } from '@rxlet/component-base';
import { NamespaceMode, type UserNamespace, UserNamespaceSchema } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import type { NodeFiles } from '@rxlet/node-files';
import { podUid } from '@rxlet/pod-model';
import type { NodeSettings } from '../config/node-settings.ts';
import { podDirectory } from '../files/pod-paths.ts';
import { formatIdMapping, freeIdMapping, type IdMapping, type IdPool, parseIdMapping } from './id-mapping.ts';

/** File of a pod's ids in its directory, as in the kubelet. */
export const ID_MAPPING_FILE = 'userns';
const MAX_BYTES = 4096;

/** Namespace of a pod that shares the users of the node. */
export const nodeUsers: UserNamespace = create(UserNamespaceSchema, { mode: NamespaceMode.NODE });

/** User namespaces of pods. */
export interface UserNamespaces {
  /** Returns the ids of a pod, and reserves them at the first call. Rejects when there are none left. */
  reserve(pod: Pod, signal: AbortSignal | undefined): Promise<UserNamespace>;
}

/** Reports whether a pod has users of its own. */
export function hasOwnUsers(pod: Pod): boolean {
  return pod.spec!.hostUsers === false;
}

/**
 * Creates {@link UserNamespaces}. The file in each pod's directory is the only record: it survives restarts, is shared with a kubelet, and goes with the
 * directory when the pod is removed.
 */
export function createUserNamespaces(
  files: NodeFiles,
  settings: Pick<NodeSettings, 'rootDirectory'>,
  pool: IdPool,
): UserNamespaces {
  // Two pods must not find the same range free.
  const turns = createSemaphore(1);
  const pathOf = (uid: string): string => `${podDirectory(settings, uid)}/${ID_MAPPING_FILE}`;

  const read = async (uid: string): Promise<IdMapping | undefined> => {
    const path = pathOf(uid);
    const bytes = await files.readFile(path, MAX_BYTES);
    if (bytes === undefined || bytes.length === 0) return undefined;
    try {
      return parseIdMapping(new TextDecoder().decode(bytes));
    } catch (error) {
      throw new Error(`cannot use ${path}: ${errorMessage(error)}`, { cause: error });
    }
  };

  const reserveNew = async (uid: string): Promise<IdMapping> => {
    const others = (await files.list(`${settings.rootDirectory}/pods`)).filter((other) => other !== uid);
    const used: IdMapping[] = [];
    for (const other of others) {
      const mapping = await read(other);
      if (mapping !== undefined) used.push(mapping);
    }
    const mapping = freeIdMapping(pool, used);
    if (mapping === undefined) {
      throw new Error('create user namespace: could not find an empty slot to allocate a user namespace');
    }
    await files.makeDirectory(podDirectory(settings, uid), 0o750);
    await files.replaceFile(pathOf(uid), formatIdMapping(mapping), 0o600);
    return mapping;
  };

  return {
    reserve: (pod, signal) =>
      turns.run(async () => {
        const uid = podUid(pod);
        const mapping = (await read(uid)) ?? (await reserveNew(uid));
        return create(UserNamespaceSchema, { mode: NamespaceMode.POD, uids: [mapping], gids: [mapping] });
      }, signal),
  };
}
