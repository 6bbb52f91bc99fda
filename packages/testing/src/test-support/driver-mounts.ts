import type { DriverMounts } from '@rxlet/csi/testing';
import type { TestNode } from '../test-node.ts';

/** Creates the mounts of a CSI driver on a test node. Its volumes are directories below `/storage`, or devices `/dev/<volume>`. */
export function createDriverMounts({ files, mounter }: Pick<TestNode, 'files' | 'mounter'>): DriverMounts {
  return {
    async makeVolume(volumeId) {
      files.putDirectory(`/storage/${volumeId}`);
      return `/storage/${volumeId}`;
    },
    async makeDevice(volumeId) {
      const path = `/dev/${volumeId}`;
      if (files.info(path) === undefined) files.putSpecial(path, 'block-device');
      return path;
    },
    async removeDevice(volumeId) {
      if (files.info(`/dev/${volumeId}`) !== undefined) files.remove(`/dev/${volumeId}`);
    },
    async bind(source, target, kind = 'directory') {
      if (mounter.targets.includes(target)) return;
      if (kind === 'directory') files.putDirectory(target);
      else files.put(target, '');
      await mounter.mount({ source, target, options: ['bind'] });
    },
    async unbind(target) {
      if (mounter.targets.includes(target)) await mounter.unmount(target);
      if (files.info(target) !== undefined) files.remove(target);
    },
  };
}
