import type { AgentModule, ModuleParts } from '@rxlet/agent-api';
import type { PodSource } from '@rxlet/agent-api/sources';
import { standalone } from '@rxlet/kubelet';
import { probes } from '@rxlet/prober';
import { nodeAdmission } from '@rxlet/node-admission';
import { lifecycleHooks } from '@rxlet/lifecycle';
import { imageManagement } from '@rxlet/image-manager';
import { cgroups } from '@rxlet/container-manager';
import { createMemorySlices, type MemoryCgroups } from '@rxlet/container-manager/testing';
import type { FakeRuntime } from '@rxlet/fake-cri';
import type { Machine } from '@rxlet/machine';
import { createTestMachine } from '@rxlet/machine/testing';
import type { MemoryFiles } from '@rxlet/node-files/testing';
import { podsFrom } from '@rxlet/pod-config';
import { createPodProbeNetwork } from '@rxlet/prober/testing';
import { type KernelFiles, stats } from '@rxlet/stats';
import { volumes, type VolumesOptions } from '@rxlet/volume-manager';
import { memoryVolumes } from '@rxlet/volume-manager/testing';

/** A machine on which resources never run short in tests of something else. */
const TEST_MACHINE = createTestMachine({ facts: { hugePages: [{ sizeBytes: 2 * 1024 ** 2, count: 512 }] } });

/** The cgroups of this machine are not those of the node. */
const NO_KERNEL_FILES: KernelFiles = {
  read: () => undefined,
  list: async () => [],
  readLink: () => undefined,
  modifiedMs: () => undefined,
};

/** Modules that listen on sockets of the machine. A virtual clock does not wait for them. */
const SOCKETS: ReadonlySet<string> = new Set(['device-plugins', 'pod-resources']);

/** The node of {@link testModules}. */
export interface ModuleNode {
  readonly fake: FakeRuntime;
  readonly files: MemoryFiles;
  readonly cgroups: MemoryCgroups;
  /** Mounts outlive an agent, as the files do. Default: mounts of their own on `files`. */
  readonly volumes?: VolumesOptions | undefined;
  /** Default: one on which resources never run short. */
  readonly machine?: Machine | undefined;
}

/** Returns the modules of a standalone agent for a fake runtime: probes and hooks reach its pods, and its disk never fills. */
export function testModules(node: ModuleNode, source: PodSource): readonly AgentModule[] {
  const { fake, files, cgroups: tree, volumes: mounts = memoryVolumes(files), machine = TEST_MACHINE } = node;
  const network = createPodProbeNetwork(fake.network);
  const readFsStats = () => Promise.resolve({ capacityBytes: 1e12, availableBytes: 9e11 });
  const modules = standalone([
    nodeAdmission({ machine }),
    cgroups({
      openCgroups: async () => tree,
      // The fake runtime uses systemd.
      openSlices: async () => createMemorySlices(),
      machine,
    }),
    imageManagement({ readFsStats }),
    lifecycleHooks({ http: network.http }),
    probes({ network }),
    volumes(mounts),
    stats({ kernelFiles: NO_KERNEL_FILES }),
  ]);
  return [podsFrom(source), ...modules.filter(({ name }) => !SOCKETS.has(name))];
}

/** Creates a module that contributes parts which exist already, such as an admission handler. */
export function contributing(parts: ModuleParts, name = 'test'): AgentModule {
  return { name, provides: (parts.services ?? []).map(({ key }) => key), setup: () => parts };
}
