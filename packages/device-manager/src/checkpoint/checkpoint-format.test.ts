import { describe, expect, it } from 'vitest';
import type { CheckpointData } from './checkpoint-data.ts';
import { formatCheckpoint, parseCheckpoint } from './checkpoint-format.ts';

const data: CheckpointData = {
  PodDeviceEntries: [
    {
      PodUID: 'u1',
      ContainerName: 'app',
      ResourceName: 'example.com/gpu',
      DeviceIDs: { '-1': ['a'], '0': ['b', 'c'], '10': ['b'] },
      AllocResp: Buffer.from([10, 255]).toString('base64'),
    },
  ],
  RegisteredDevices: { 'example.com/gpu': ['a', 'b'], 'example.com/none': [] },
};

/** Written by a kubelet 1.36.2 for a pod with an init container, a sidecar and a main container. */
const recorded =
  '{"Data":{"PodDeviceEntries":[{"PodUID":"u-one","ContainerName":"side","ResourceName":"lab.example.com/gpu","DeviceIDs":{"-1":["g2"]},"AllocResp":"CgoKBEdQVVMSAmcyCgsKBlNFQ09ORBIBeBIOCgQvZ3B1EgQvdG1wGAEaHAoLL2Rldi9ncHUtZzISCS9kZXYvbnVsbBoCcnciFgoQZXhhbXBsZS5jb20vZ3B1cxICZzIqFAoSZXhhbXBsZS5jb20vZ3B1PWcy"},{"PodUID":"u-one","ContainerName":"app","ResourceName":"lab.example.com/gpu","DeviceIDs":{"0":["g0","g1"],"1":["g1"]},"AllocResp":"Cg0KBEdQVVMSBWcwLGcxCgsKBlNFQ09ORBIBeBIOCgQvZ3B1EgQvdG1wGAEaHAoLL2Rldi9ncHUtZzASCS9kZXYvbnVsbBoCcncaHAoLL2Rldi9ncHUtZzESCS9kZXYvbnVsbBoCcnciGQoQZXhhbXBsZS5jb20vZ3B1cxIFZzAsZzEqFAoSZXhhbXBsZS5jb20vZ3B1PWcwKhQKEmV4YW1wbGUuY29tL2dwdT1nMQ=="},{"PodUID":"u-one","ContainerName":"init","ResourceName":"lab.example.com/gpu","DeviceIDs":{"-1":["g2"]},"AllocResp":"CgoKBEdQVVMSAmcyCgsKBlNFQ09ORBIBeBIOCgQvZ3B1EgQvdG1wGAEaHAoLL2Rldi9ncHUtZzISCS9kZXYvbnVsbBoCcnciFgoQZXhhbXBsZS5jb20vZ3B1cxICZzIqFAoSZXhhbXBsZS5jb20vZ3B1PWcy"}],"RegisteredDevices":{"lab.example.com/gpu":["g3","g4","g0","g1","g2"]}},"Checksum":2312497790}';

describe('the checkpoint of devices', () => {
  it('is read as it was written', () => {
    expect(parseCheckpoint(formatCheckpoint(data))).toEqual(data);
    const empty = { PodDeviceEntries: null, RegisteredDevices: {} };
    expect(parseCheckpoint(formatCheckpoint(empty))).toEqual(empty);
  });

  it('has the format and the checksum of a kubelet', () => {
    const parsed = parseCheckpoint(recorded);
    expect(formatCheckpoint(parsed)).toBe(recorded);
    expect(parsed.PodDeviceEntries?.[1]?.DeviceIDs).toEqual({ '0': ['g0', 'g1'], '1': ['g1'] });
  });

  it.each<[string, string, string]>([
    ['a half-written file', formatCheckpoint(data).slice(0, 80), 'InvalidJson'],
    ['a changed device', formatCheckpoint(data).replace('"a"', '"x"'), 'ChecksumMismatch'],
    ['another structure', '{"Data":{"PodDeviceEntries":{}},"Checksum":1}', 'InvalidContent'],
    ['a device that is no text', '{"Data":{"RegisteredDevices":{"a":[1]}},"Checksum":1}', 'InvalidContent'],
    ['nothing', 'null', 'InvalidContent'],
  ])('is rejected for %s', (_name, text, reason) => {
    expect(() => parseCheckpoint(text)).toThrow(expect.objectContaining({ name: 'CheckpointError', reason }));
  });
});
