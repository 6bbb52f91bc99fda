import type { Pod, Volume } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import { hugetlbfsOf, isHugePagesMedium, tmpfsOf } from './empty-dir-medium.ts';
import {
  EMPTY_DIR_PLUGIN,
  type MemoryFileSystem,
  setUpEmptyDirectory,
  tearDownEmptyDirectory,
} from './empty-directory.ts';
import type { PluginContext } from './plugin-context.ts';
import type { VolumePlugin } from '@rxlet/agent-api/volumes';

/** Creates the plugin of emptyDir volumes: a directory that lives as long as the pod, on disk, in memory or in huge pages. */
export function emptyDirPlugin(context: PluginContext): VolumePlugin {
  const { paths, sources, supportsNoSwap } = context;
  const fileSystemOf = (pod: Pod, emptyDir: NonNullable<Volume['emptyDir']>): (() => MemoryFileSystem) | undefined => {
    const { medium = '' } = emptyDir;
    if (medium === '') return undefined;
    if (medium === 'Memory') return () => tmpfsOf(pod, emptyDir, sources.allocatable(), supportsNoSwap());
    if (isHugePagesMedium(medium)) return () => hugetlbfsOf(pod, medium);
    throw new Error(`unknown storage medium "${medium}"`);
  };

  return {
    name: EMPTY_DIR_PLUGIN,
    field: 'emptyDir',
    mode: 'Filesystem',
    refreshes: false,
    volume({ name, emptyDir = {} }, pod) {
      const uid = podUid(pod);
      const path = paths.volume(uid, EMPTY_DIR_PLUGIN, name);
      const fileSystem = fileSystemOf(pod, emptyDir);
      const fsGroup = pod.spec?.securityContext?.fsGroup;
      const group = fsGroup === undefined ? undefined : { fsGroup, readOnly: false };
      return {
        hostPath: path,
        attributes: { readOnly: false, managed: true, seLinuxRelabel: true },
        setUp: (signal) => setUpEmptyDirectory(context, { podUid: uid, name, path, fileSystem, group }, signal),
      };
    },
    tearDown: (uid, name, signal) =>
      tearDownEmptyDirectory(context, { podUid: uid, name, path: paths.volume(uid, EMPTY_DIR_PLUGIN, name) }, signal),
  };
}
