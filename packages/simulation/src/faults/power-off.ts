import { ContainerState, PodSandboxState } from '@rxlet/cri-api';
import type { TestNode } from '@rxlet/testing';

/** Exit code of containers that a runtime finds dead after a boot. */
const UNKNOWN_EXIT_CODE = 255;

/** Sets the identity of a boot, as the kernel reports it. */
export function setBootId(files: TestNode['files'], boot: number): void {
  files.put('/proc/sys/kernel/random/boot_id', `boot-${String(boot)}\n`);
}

/** Turns the machine off and on: processes, mounts, cgroups and sockets are gone, files and the records of the runtime are left. No agent runs. */
export async function powerOff({ fake, files, mounter, cgroups }: TestNode, boot: number): Promise<void> {
  const wasRunning = fake.running;
  fake.stop();
  const { containers, sandboxes } = fake.snapshot();
  for (const { id, state } of containers)
    if (state === ContainerState.CONTAINER_RUNNING) fake.exitContainer(id, UNKNOWN_EXIT_CODE, 'Unknown');
  for (const { id, state } of sandboxes) if (state === PodSandboxState.SANDBOX_READY) fake.failSandbox(id);
  const { fault } = mounter;
  mounter.fault = undefined;
  for (const target of mounter.targets.toReversed()) await mounter.unmount(target, {});
  mounter.fault = fault;
  for (const path of cgroups.paths().toReversed()) await cgroups.remove(path);
  setBootId(files, boot);
  if (wasRunning) fake.start();
}
