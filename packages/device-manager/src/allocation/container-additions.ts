import type { AddedDevice, AddedMount, ContainerAdditions } from '@rxlet/agent-api/containers';
import type { DeviceAllocation } from './pod-devices.ts';

/** Called for a setting that two plugins want differently. The first one wins. */
export type OnConflict = (setting: string, kept: string, dropped: string) => void;

/** Merges what the plugins of a container's devices want it to get (kubelet: deviceRunContainerOptions), in the order of the names of their resources. */
export function containerAdditions(
  allocations: ReadonlyMap<string, DeviceAllocation>,
  onConflict: OnConflict,
): ContainerAdditions {
  const environment = new Map<string, string>();
  const annotations = new Map<string, string>();
  const mounts = new Map<string, AddedMount>();
  const devices = new Map<string, AddedDevice>();
  const cdiDevices = new Set<string>();
  const add = <T>(all: Map<string, T>, kind: string, key: string, value: T, textOf: (value: T) => string): void => {
    const first = all.get(key);
    if (first === undefined) all.set(key, value);
    else if (textOf(first) !== textOf(value)) onConflict(`${kind} ${key}`, textOf(first), textOf(value));
  };
  const same = (text: string): string => text;
  const sorted = [...allocations].sort(([left], [right]) => (left < right ? -1 : 1));
  for (const [, { response }] of sorted) {
    for (const [name, value] of Object.entries(response.envs)) add(environment, 'variable', name, value, same);
    for (const { hostPath, containerPath, permissions } of response.devices)
      add(devices, 'device', containerPath, { hostPath, containerPath, permissions }, (device) => device.hostPath);
    for (const { hostPath, containerPath, readOnly } of response.mounts)
      add(mounts, 'mount', containerPath, { hostPath, containerPath, readOnly }, (mount) => mount.hostPath);
    for (const [name, value] of Object.entries(response.annotations)) add(annotations, 'annotation', name, value, same);
    for (const { name } of response.cdiDevices) cdiDevices.add(name);
  }
  return {
    environment: Object.fromEntries(environment),
    annotations: Object.fromEntries(annotations),
    mounts: [...mounts.values()],
    devices: [...devices.values()],
    cdiDevices: [...cdiDevices],
  };
}
