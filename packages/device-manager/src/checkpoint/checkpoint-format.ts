import { fnv1a32 } from '@rxlet/pod-model/hash';
import { CheckpointError, checkpointList, checkpointObject, parseCheckpointJson } from '@rxlet/pod-model/resize';
import type { CheckpointData, CheckpointEntry } from './checkpoint-data.ts';

/** Formats a checkpoint like kubelet 1.36, with its checksum. */
export function formatCheckpoint(data: CheckpointData): string {
  return JSON.stringify({ Data: data, Checksum: fnv1a32(goText(data)) });
}

/**
 * Parses a checkpoint of {@link formatCheckpoint} or of a kubelet.
 * @throws CheckpointError
 */
export function parseCheckpoint(text: string): CheckpointData {
  const { Data, Checksum } = checkpointObject(parseCheckpointJson(text), 'the file');
  const { PodDeviceEntries, RegisteredDevices } = checkpointObject(Data, 'the field "Data"');
  const data = {
    PodDeviceEntries: orNull(PodDeviceEntries, (entries) => checkpointList(entries, 'the pods').map(readEntry)),
    RegisteredDevices: orNull(RegisteredDevices, (devices) => readIds(devices, 'the resources')),
  };
  if (Checksum !== fnv1a32(goText(data))) throw new CheckpointError('ChecksumMismatch', 'the checksum does not match');
  return data;
}

/** Returns the text that Go prints for the data, of which kubelets compute the checksum. */
function goText({ PodDeviceEntries, RegisteredDevices }: CheckpointData): string {
  const entries = goList(PodDeviceEntries, goEntry);
  const registered = goMap(RegisteredDevices, (left, right) => (left < right ? -1 : 1));
  const fields = `PodDeviceEntries:([]checkpoint.PodDevicesEntry)${entries} RegisteredDevices:(map[string][]string)${registered}`;
  return `(checkpoint.checkpointData){${fields}}`;
}

function goEntry({ PodUID, ContainerName, ResourceName, DeviceIDs, AllocResp }: CheckpointEntry): string {
  const names = `PodUID:(string)${PodUID} ContainerName:(string)${ContainerName} ResourceName:(string)${ResourceName}`;
  const ids = goMap(DeviceIDs, (left, right) => Number(left) - Number(right));
  const bytes = goList(AllocResp === null ? null : [...Buffer.from(AllocResp, 'base64')], String);
  return `{${names} DeviceIDs:(checkpoint.DevicesPerNUMA)${ids} AllocResp:([]uint8)${bytes}}`;
}

function goList<T>(list: readonly T[] | null, textOf: (item: T) => string): string {
  return list === null ? '<nil>' : `[${list.map(textOf).join(' ')}]`;
}

function goMap(
  map: Readonly<Record<string, readonly string[] | null>> | null,
  compare: (left: string, right: string) => number,
): string {
  if (map === null) return '<nil>';
  const entries = Object.entries(map).sort(([left], [right]) => compare(left, right));
  return `map[${entries.map(([key, list]) => `${key}:${goList(list, (id) => id)}`).join(' ')}]`;
}

function readEntry(value: unknown): CheckpointEntry {
  const entry = checkpointObject(value, 'a pod');
  const text = (field: string): string => {
    const found = entry[field];
    if (typeof found === 'string') return found;
    throw new CheckpointError('InvalidContent', `the field "${field}" is no text`);
  };
  return {
    PodUID: text('PodUID'),
    ContainerName: text('ContainerName'),
    ResourceName: text('ResourceName'),
    DeviceIDs: orNull(entry['DeviceIDs'], (ids) => {
      const read = readIds(ids, 'the devices of a container');
      if (Object.keys(read).every((node) => /^-?\d+$/.test(node))) return read;
      throw new CheckpointError('InvalidContent', 'a NUMA node is no number');
    }),
    AllocResp: entry['AllocResp'] === null ? null : text('AllocResp'),
  };
}

function readIds(value: unknown, subject: string): Record<string, readonly string[] | null> {
  const entries = Object.entries(checkpointObject(value, subject)).map(
    ([key, ids]) =>
      [
        key,
        orNull(ids, (list) => {
          const texts = checkpointList(list, subject);
          if (texts.every((id) => typeof id === 'string')) return texts;
          throw new CheckpointError('InvalidContent', `${subject} contain an id that is no text`);
        }),
      ] as const,
  );
  return Object.fromEntries(entries);
}

function orNull<T>(value: unknown, read: (value: unknown) => T): T | null {
  return value === null || value === undefined ? null : read(value);
}
