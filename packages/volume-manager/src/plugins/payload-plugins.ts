import type { Pod, Volume } from '@rxlet/kube-api';
import { type DirectoryHandle, systemErrorCode } from '@rxlet/node-files';
import { podUid } from '@rxlet/pod-model';
import { removeStaleVersions, writePayload } from '../atomic-writer/write-payload.ts';
import type { VolumeGroup } from '@rxlet/agent-api/volumes';
import { collectPayload } from '../payload/collect-payload.ts';
import { giveToGroup, setUpEmptyDirectory, tearDownEmptyDirectory } from './empty-directory.ts';
import { tmpfsOf } from './empty-dir-medium.ts';
import { nestedMountPoints } from './nested-mount-points.ts';
import type { PluginContext } from './plugin-context.ts';
import type { VolumePlugin } from '@rxlet/agent-api/volumes';

/** Kind of a volume whose files come from the API. */
interface PayloadKind {
  readonly name: string;
  readonly field: 'configMap' | 'secret' | 'downwardAPI' | 'projected';
  /** Secrets must not reach a disk. */
  readonly inMemory: boolean;
}

const kinds: readonly PayloadKind[] = [
  { name: 'kubernetes.io/configmap', field: 'configMap', inMemory: false },
  { name: 'kubernetes.io/secret', field: 'secret', inMemory: true },
  { name: 'kubernetes.io/downward-api', field: 'downwardAPI', inMemory: true },
  { name: 'kubernetes.io/projected', field: 'projected', inMemory: true },
];

/** Creates the plugins of configMap, secret, downwardAPI and projected volumes: files in an empty directory of the pod, replaced in one step. */
export function payloadPlugins(context: PluginContext): readonly VolumePlugin[] {
  return kinds.map((kind) => payloadPlugin(context, kind));
}

function payloadPlugin(context: PluginContext, { name: pluginName, field, inMemory }: PayloadKind): VolumePlugin {
  const { files, paths, sources, supportsNoSwap } = context;
  const directoryOf = (uid: string, name: string) => ({
    podUid: uid,
    // The name of the emptyDir in a kubelet, which finds it after a change of the agent.
    name: `wrapped_${name}`,
    path: paths.volume(uid, pluginName, name),
  });

  const setUp = async (volume: Volume, pod: Pod, signal: AbortSignal): Promise<void> => {
    // Before anything is created: what cannot be collected leaves no trace.
    const payload = await collectPayload(pod, volume, sources, signal);
    const directory = directoryOf(podUid(pod), volume.name);
    const group = groupOf(pod);
    const fileSystem = inMemory ? () => tmpfsOf(pod, {}, sources.allocatable(), supportsNoSwap()) : undefined;
    await setUpEmptyDirectory(
      context,
      { ...directory, fileSystem, group: group && { ...group, readOnly: false } },
      signal,
    );
    await using handle = await files.openDirectory(directory.path);
    if (handle === undefined) throw new Error(`there is no ${directory.path}`);
    for (const path of nestedMountPoints(pod, volume.name)) await makeNested(handle, path.split('/'));
    await removeStaleVersions(handle);
    await writePayload(handle, payload, context, async () => {
      // The whole volume: links outside of the version may be new as well.
      if (group !== undefined) await giveToGroup(context, directory.path, group, { signal });
    });
  };

  return {
    name: pluginName,
    field,
    mode: 'Filesystem',
    refreshes: true,
    volume: (volume, pod) => ({
      hostPath: paths.volume(podUid(pod), pluginName, volume.name),
      attributes: { readOnly: true, managed: true, seLinuxRelabel: true },
      setUp: (signal) => setUp(volume, pod, signal),
    }),
    tearDown: (uid, name, signal) => tearDownEmptyDirectory(context, directoryOf(uid, name), signal),
  };
}

function groupOf(pod: Pod): VolumeGroup | undefined {
  const fsGroup = pod.spec?.securityContext?.fsGroup;
  return fsGroup === undefined ? undefined : { fsGroup, readOnly: true };
}

async function makeNested(directory: DirectoryHandle, [name = '', ...below]: readonly string[]): Promise<void> {
  try {
    await directory.makeDirectory(name, 0o755);
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
  // A file of the volume in this place is mounted over.
  if (below.length === 0) return;
  await using next = await directory.openDirectory(name);
  if (next !== undefined) await makeNested(next, below);
}
