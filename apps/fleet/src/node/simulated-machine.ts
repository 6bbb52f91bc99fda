import type { Clock, Logger, Random } from '@rxlet/component-base';
import { ContainerState, ImageServiceDescriptor, PodSandboxState, RuntimeServiceDescriptor } from '@rxlet/cri-api';
import { createFakeRuntime, type FakeRuntime, type RpcName } from '@rxlet/fake-cri';
import { createHostFiles, filesOfTree } from '@rxlet/fake-cri/files';
import type { Machine } from '@rxlet/machine';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';
import type { KernelFiles } from '@rxlet/stats';
import type { ContainerBehaviour } from '../plan/behaviours.ts';
import type { NodePlan } from '../plan/plan-nodes.ts';
import { createNodeDisk, type NodeDisk } from './node-disk.ts';
import { createNodeKernel } from './node-kernel.ts';
import { createNodeMachine } from './node-machine.ts';
import type { Boots } from './node-size.ts';

/** Ports of {@link createSimulatedMachine}. */
export interface SimulatedMachinePorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Machine below a node agent: runtime, files, disk and kernel, all in memory. It outlives the agent. Disposal ends the containers. */
export interface SimulatedMachine extends AsyncDisposable {
  readonly runtime: FakeRuntime;
  readonly files: MemoryFiles;
  readonly disk: NodeDisk;
  readonly kernel: KernelFiles;
  readonly facts: Machine;
  readonly boots: Readonly<Boots>;
  /** Makes every further call of the runtime hang until its deadline or {@link restartRuntime}. Containers keep running. */
  hangRuntime(): void;
  /** Restarts the runtime, whose pending calls fail. Containers keep running. */
  restartRuntime(): void;
  /** Ends all containers without a signal. The runtime does not answer until {@link boot}, when it shows them as ended with the reason `Unknown`, as containerd does. */
  powerOff(): void;
  boot(): void;
}

const RPCS: readonly RpcName[] = [...RuntimeServiceDescriptor.methods, ...ImageServiceDescriptor.methods].map(
  ({ localName }) => localName as RpcName,
);

/** Creates a {@link SimulatedMachine} that has booted. */
export function createSimulatedMachine(
  { clock, random, logger }: SimulatedMachinePorts,
  { name, address, size, podCidr }: NodePlan,
  behaviours: readonly ContainerBehaviour[],
): SimulatedMachine {
  const boots: Boots = { count: 1, timeMs: clock.now() };
  const files = createMemoryFiles({
    files: { '/etc/hosts': '127.0.0.1 localhost\n', '/etc/resolv.conf': 'nameserver 192.0.2.53\n' },
  });
  const runtime = createFakeRuntime(
    { clock, random, logger, logs: { open: files.openToAppend }, hostFiles: createHostFiles(filesOfTree(files)) },
    { podCidr, cgroupDriver: 'cgroupfs' },
  );
  for (const { target, script } of behaviours) runtime.setScript(target, script);
  return {
    runtime,
    files,
    disk: createNodeDisk(clock, size.diskBytes),
    kernel: createNodeKernel(runtime, size, boots),
    facts: createNodeMachine(name, address, size, boots),
    boots,
    hangRuntime() {
      for (const rpc of RPCS) runtime.setFailpoint(rpc, 'hang');
    },
    restartRuntime() {
      runtime.clearFailpoints();
      runtime.stop();
      runtime.start();
    },
    powerOff() {
      runtime.stop();
      const { containers, sandboxes } = runtime.snapshot();
      for (const { id, state } of containers)
        if (state === ContainerState.CONTAINER_RUNNING) runtime.exitContainer(id, 255, 'Unknown');
      for (const { id, state } of sandboxes) if (state === PodSandboxState.SANDBOX_READY) runtime.failSandbox(id);
    },
    boot() {
      boots.count += 1;
      boots.timeMs = clock.now();
      runtime.start();
    },
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}
