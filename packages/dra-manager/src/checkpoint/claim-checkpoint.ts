import { crc32 } from 'node:zlib';
import { goJson } from '@rxlet/pod-model/hash';
import { CheckpointError, checkpointList, checkpointObject, parseCheckpointJson } from '@rxlet/pod-model/resize';
import type { ClaimDevice, ClaimRecord } from '../claims/claim-record.ts';

/** Name of the checkpoint in the root directory. */
export const CLAIM_CHECKPOINT = 'dra_manager_state';

const KIND = 'DRACheckpoint';
const API_VERSION = 'checkpoint.dra.kubelet.k8s.io/v1';

/** Formats the checkpoint of claims like kubelet 1.36, with its checksum. */
export function formatClaimCheckpoint(records: readonly ClaimRecord[]): string {
  const list = records.map(({ uid, name, namespace, podUids, drivers }) => ({
    ClaimUID: uid,
    ClaimName: name,
    Namespace: namespace,
    PodUIDs: Object.fromEntries([...podUids].sort().map((podUid) => [podUid, {}])),
    DriverState: Object.fromEntries(
      [...drivers].map(([driver, devices]) => [
        driver,
        { Devices: devices.length === 0 ? null : devices.map(formatDevice) },
      ]),
    ),
  }));
  const data = goJson({ kind: KIND, apiVersion: API_VERSION, ClaimInfoStateList: list });
  return goJson({ Data: data, Checksum: crc32(data) });
}

/**
 * Parses a checkpoint of {@link formatClaimCheckpoint} or of a kubelet. The claims are not prepared: a restart of the node may have undone it.
 *
 * @throws CheckpointError
 */
export function parseClaimCheckpoint(text: string): readonly ClaimRecord[] {
  const { Data: data, Checksum: checksum } = checkpointObject(parseCheckpointJson(text), 'the file');
  if (typeof data !== 'string' || crc32(data) !== checksum)
    throw new CheckpointError('ChecksumMismatch', 'checkpoint is corrupted');
  const { ClaimInfoStateList: list } = checkpointObject(parseCheckpointJson(data), 'the data');
  return listOf(list, 'the claims').map(readRecord);
}

function formatDevice({ poolName, deviceName, shareId, requestNames, cdiDeviceIds }: ClaimDevice) {
  return {
    PoolName: poolName,
    DeviceName: deviceName,
    ShareID: shareId ?? null,
    RequestNames: orNull(requestNames),
    CDIDeviceIDs: orNull(cdiDeviceIds),
  };
}

/** A list without elements is null for Go. */
function orNull(list: readonly string[]): readonly string[] | null {
  return list.length === 0 ? null : list;
}

function readRecord(value: unknown): ClaimRecord {
  const claim = checkpointObject(value, 'a claim');
  const drivers = Object.entries(checkpointObject(claim['DriverState'] ?? {}, 'the drivers of a claim')).map(
    ([driver, state]) =>
      [driver, listOf(checkpointObject(state, 'the state of a driver')['Devices'], 'devices').map(readDevice)] as const,
  );
  return {
    uid: textOf(claim, 'ClaimUID'),
    name: textOf(claim, 'ClaimName'),
    namespace: textOf(claim, 'Namespace'),
    podUids: new Set(Object.keys(checkpointObject(claim['PodUIDs'] ?? {}, 'the pods of a claim'))),
    drivers: new Map(drivers),
    isPrepared: false,
  };
}

function readDevice(value: unknown): ClaimDevice {
  const device = checkpointObject(value, 'a device');
  const shareId = device['ShareID'] ?? undefined;
  return {
    poolName: textOf(device, 'PoolName'),
    deviceName: textOf(device, 'DeviceName'),
    ...(shareId !== undefined && { shareId: textOf(device, 'ShareID') }),
    requestNames: textsOf(device['RequestNames'], 'the requests of a device'),
    cdiDeviceIds: textsOf(device['CDIDeviceIDs'], 'the CDI names of a device'),
  };
}

function textsOf(value: unknown, subject: string): readonly string[] {
  return listOf(value, subject).map((text) => {
    if (typeof text === 'string') return text;
    throw new CheckpointError('InvalidContent', `${subject} are no texts`);
  });
}

function textOf(object: Readonly<Record<string, unknown>>, field: string): string {
  const found = object[field];
  if (typeof found === 'string') return found;
  throw new CheckpointError('InvalidContent', `the field "${field}" is no text`);
}

/** Null and absent stand for an empty list. */
function listOf(value: unknown, subject: string): readonly unknown[] {
  return value === null || value === undefined ? [] : checkpointList(value, subject);
}
