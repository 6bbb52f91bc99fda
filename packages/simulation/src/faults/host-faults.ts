import type { TestNode } from '@rxlet/testing';
import { asOtherVersion } from './other-version.ts';
import type { Damage } from '../workload/step.ts';

/** Faults of the files and mounts of a node. */
export interface HostFaults {
  /** Lets calls on files fail. */
  breakDisk(code: string, isOnlyWriting: boolean): void;
  repairDisk(): void;
  /** Lets the next mounts or unmounts fail. */
  failMounts(operation: 'mount' | 'unmount', times: number): void;
  /** Damages a checkpoint of the agent. @returns its path, if there is one */
  damage(damage: Damage): string | undefined;
  /** Lets unmounts below the directory of a pod fail for good. */
  stickMounts(podUids: () => ReadonlySet<string>): void;
  /** Ends all faults but those for good. */
  end(): void;
}

/** Calls of the ports of files that need space. */
const NEED_SPACE: ReadonlySet<string> = new Set([
  'appendFile',
  'createFile',
  'makeDirectory',
  'replaceFile',
  'symlink',
  'write',
  'writeFile',
]);
/** Further calls that change something. */
const CHANGES: ReadonlySet<string> = new Set([
  ...NEED_SPACE,
  'chmod',
  'chown',
  'removeEmptyDirectory',
  'removeFile',
  'removeTree',
  'rename',
  'sync',
]);

/** A record that must not be lost: as in the kubelet, the claims of running pods then stay prepared until an operator ends them. */
const CLAIMS = '/root/dra_manager_state';
/** Records of CPUs, memory and claims of running containers. No other record has them, so that the agent must not start with a damaged one, as the kubelet. */
export const ASSIGNMENT_FILES: ReadonlySet<string> = new Set([
  '/root/cpu_manager_state',
  '/root/memory_manager_state',
  CLAIMS,
]);

/** Creates {@link HostFaults}. */
export function createHostFaults({ files, mounter }: TestNode): HostFaults {
  let stuck: (() => ReadonlySet<string>) | undefined;
  const failing = { mount: 0, unmount: 0 };
  mounter.fault = (operation, target) => {
    if (operation === 'unmount' && stuck?.().has(target.split('/')[3] ?? '') === true)
      throw new Error(`target is busy: ${target}`);
    if (failing[operation] === 0) return;
    failing[operation] -= 1;
    throw new Error(`injected failure of ${operation}`);
  };
  const end = (): void => {
    files.fault = undefined;
    failing.mount = 0;
    failing.unmount = 0;
  };
  return {
    breakDisk(code, isOnlyWriting) {
      files.fault = (operation, path) => {
        if (operation === 'watch' || (isOnlyWriting && !(code === 'ENOSPC' ? NEED_SPACE : CHANGES).has(operation)))
          return;
        throw Object.assign(new Error(`${code}: injected failure of ${operation} ${path}`), { code });
      };
    },
    repairDisk: () => void (files.fault = undefined),
    failMounts: (operation, times) => void (failing[operation] = times),
    damage({ how, file, place, isOfAssignments = false }) {
      const paths = files
        .paths()
        .filter((path) => path.startsWith('/root/') && !path.startsWith('/root/pods/') && !path.includes(' -> '))
        .filter((path) => !isOfAssignments || ASSIGNMENT_FILES.has(path));
      const path = paths[Math.floor(file * paths.length)];
      const bytes = path === undefined ? undefined : files.bytes(path);
      if (path === undefined || bytes === undefined || (how === 'lose' && path === CLAIMS)) return undefined;
      const offset = Math.floor(place * bytes.length);
      if (how === 'unknown-fields' || how === 'other-version') {
        const text = asOtherVersion(files.text(path) ?? '', how);
        if (text === undefined) return undefined;
        files.put(path, text, files.info(path)?.mode);
      } else if (how === 'lose') files.remove(path);
      else if (how === 'tear') files.put(path, bytes.subarray(0, offset), files.info(path)?.mode);
      else if (bytes.length > 0) {
        bytes[offset]! ^= 1 << (offset % 8);
        files.put(path, bytes, files.info(path)?.mode);
      }
      return path;
    },
    stickMounts: (podUids) => void (stuck = podUids),
    end,
  };
}
