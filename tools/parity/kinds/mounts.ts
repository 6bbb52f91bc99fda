import { posix } from 'node:path';
import { create } from '@bufbuild/protobuf';
import type { MountedVolume } from '@rxlet/agent-api/volumes';
import { noopLogger } from '@rxlet/component-base';
import { type ImageSpec, ImageSpecSchema, type Mount, MountPropagation } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import type { HostFiles } from '@rxlet/node-files';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { isHostNetworkPod } from '@rxlet/pod-model';
import { ConfigError } from '@rxlet/runtime-manager/config';
import {
  createEtcHosts,
  hostsMount,
  type OwnMountsPorts,
  terminationMessageMount,
  volumeMounts,
} from '@rxlet/runtime-manager/container-options';
import type { Answer } from '../vector-kind.ts';

interface VectorVolume {
  readonly path: string;
  readonly readOnly?: boolean;
  readonly managed?: boolean;
  readonly seLinuxRelabel?: boolean;
  readonly seLinuxLabeled?: boolean;
  readonly innerVolumeSpecName: string;
  readonly block?: boolean;
}

interface MountsVector {
  readonly input: {
    readonly pod: Pod;
    readonly podIPs: readonly string[];
    readonly supportsRRO?: boolean;
    readonly volumes: Readonly<Record<string, VectorVolume>>;
    readonly imageVolumes?: Readonly<Record<string, { readonly image: string; readonly userSpecifiedImage: string }>>;
    readonly envs: Readonly<Record<string, string>>;
    readonly existingPaths?: readonly string[];
    readonly subPathDirFails?: boolean;
    readonly subPathPrepareFails?: boolean;
  };
  readonly want: { readonly error?: string };
}

const ROOT = '<root>';
const VOLUME_MODE = 0o775;
/** The message of the kubelet's volume plugins; its wording is free. */
const EMPTY_PATH = 'path is empty';

/** Returns a container's mounts, with what was done for them, or the message that its user sees. */
export async function run({ input, want }: MountsVector): Promise<Answer> {
  try {
    return { got: await mountsOf(input), want };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const message = /^path .*is empty$/.test(error.message) ? EMPTY_PATH : error.message;
    return { got: { error: message }, want };
  }
}

async function mountsOf(input: MountsVector['input']): Promise<unknown> {
  const { pod, podIPs, volumes, imageVolumes, envs } = input;
  const container = pod.spec!.containers[0]!;
  const madeDirs: object[] = [];
  const subPaths: object[] = [];
  const files = createMemoryFiles({ files: { '/etc/hosts': '127.0.0.1\tlocalhost\n' } });
  const context: OwnMountsPorts = {
    files: files.nodeFiles,
    hostFiles: files.hostFiles,
    nodeHostsFile: '/etc/hosts',
    random: { next: () => 0, hex: () => '<rand>' },
    settings: { rootDirectory: ROOT, clusterDomain: 'cluster.local', seLinux: true },
  };
  const mounts = await volumeMounts(
    {
      logger: noopLogger,
      hostFiles: { stat: statOf(input) },
      subPaths: {
        async makeSubPath(volumePath, subPath, mode) {
          if (input.subPathDirFails === true) throw new Error('no space left on device');
          madeDirs.push({ volumePath, subPath, mode: octal(mode) });
        },
        async prepareSubPath({ podUid, containerName, mountIndex, innerVolumeSpecName, volumePath, subPath }) {
          if (input.subPathPrepareFails === true) throw new Error('mount failed');
          subPaths.push({ volumePath, path: posix.join(volumePath, subPath) });
          return `${ROOT}/pods/${podUid}/volume-subpaths/${innerVolumeSpecName}/${containerName}/${String(mountIndex)}`;
        },
      },
    },
    {
      pod,
      container,
      volumes: new Map(Object.entries(volumes).map(([name, volume]) => [name, mountedVolume(volume)])),
      images: imageVolumes && new Map(Object.entries(imageVolumes).map(([name, image]) => [name, imageSpec(image)])),
      environment: new Map(Object.entries(envs)),
      supportsRecursiveReadOnly: input.supportsRRO ?? false,
      seLinux: true,
    },
  );
  const names = (container.volumeMounts ?? []).map(({ name }) => name);
  const hosts = await hostsMount(context, container, createEtcHosts(context, pod, podIPs));
  const message = await terminationMessageMount(context, pod, container);
  const all = [
    ...mounts.map((mount, index) => describe(names[index]!, mount)),
    ...(hosts === undefined ? [] : [describe('k8s-managed-etc-hosts', hosts)]),
  ];
  const hostsInfo = hosts && files.info(hosts.hostPath);
  return {
    mounts: all,
    ...(madeDirs.length > 0 && { madeDirs }),
    ...(subPaths.length > 0 && { subPaths }),
    ...(hosts !== undefined && !isHostNetworkPod(pod) && { etcHosts: files.text(hosts.hostPath) }),
    ...(hostsInfo !== undefined && { etcHostsMode: octal(hostsInfo.mode) }),
    ...(message !== undefined && {
      terminationLog: {
        containerPath: message.containerPath,
        hostPath: message.hostPath,
        mode: octal(files.info(message.hostPath)!.mode),
      },
    }),
  };
}

function mountedVolume({ path, block, ...volume }: VectorVolume): MountedVolume {
  const { readOnly = false, managed = false, seLinuxRelabel = false, seLinuxLabeled = false } = volume;
  const { innerVolumeSpecName } = volume;
  const location = block === true ? { hostPath: '', devicePath: path } : { hostPath: path };
  return { ...location, readOnly, managed, seLinuxRelabel, seLinuxLabeled, innerVolumeSpecName };
}

function imageSpec(image: { readonly image: string; readonly userSpecifiedImage: string }): ImageSpec {
  return create(ImageSpecSchema, image);
}

/** Volumes exist, and the recorded paths below them. */
function statOf({ volumes, existingPaths = [] }: MountsVector['input']): HostFiles['stat'] {
  const existing = new Set([...existingPaths, ...Object.values(volumes).map(({ path }) => path)]);
  const sizes = { sizeBytes: 0, allocatedBytes: 0, links: 2, modifiedMs: 0 };
  const info = { kind: 'directory', ...sizes, uid: 0, gid: 0, identity: '', version: '' } as const;
  return async (path) => (existing.has(path) ? { ...info, mode: VOLUME_MODE } : undefined);
}

function describe(name: string, mount: Mount): object {
  const { hostPath, containerPath, readonly, recursiveReadOnly, selinuxRelabel, image, imageSubPath } = mount;
  return {
    name,
    hostPath,
    containerPath,
    propagation: MountPropagation[mount.propagation].replace('PROPAGATION_', ''),
    ...(readonly && { readOnly: true }),
    ...(recursiveReadOnly && { recursiveReadOnly: true }),
    ...(selinuxRelabel && { seLinuxRelabel: true }),
    ...(image !== undefined && { image: image.image }),
    ...(imageSubPath !== '' && { imageSubPath }),
  };
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
