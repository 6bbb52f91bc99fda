import { describe, expect, it } from 'vitest';
import type { ClaimRecord } from '../claims/claim-record.ts';
import { formatClaimCheckpoint, parseClaimCheckpoint } from './claim-checkpoint.ts';

const DRIVER = 'driver.example.com';
/** As kubelet 1.36 writes it, with its checksum: a claim with a shared device, and one of a driver that has prepared nothing. */
const DATA = String.raw`{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"ClaimInfoStateList\":[{\"ClaimUID\":\"c1\",\"ClaimName\":\"one\",\"Namespace\":\"ns\",\"PodUIDs\":{\"p1\":{},\"p2\":{}},\"DriverState\":{\"driver.example.com\":{\"Devices\":[{\"PoolName\":\"pool\",\"DeviceName\":\"d0\",\"ShareID\":\"s\",\"RequestNames\":[\"r\"],\"CDIDeviceIDs\":[\"example.com/gpu=0\"]}]}}},{\"ClaimUID\":\"c2\",\"ClaimName\":\"two\",\"Namespace\":\"ns\",\"PodUIDs\":{\"p1\":{}},\"DriverState\":{\"driver.example.com\":{\"Devices\":null}}}]}`;
const TEXT = `{"Data":"${DATA}","Checksum":948344172}`;
const RECORDS: readonly ClaimRecord[] = [
  {
    uid: 'c1',
    namespace: 'ns',
    name: 'one',
    podUids: new Set(['p2', 'p1']),
    drivers: new Map([
      [
        DRIVER,
        [
          {
            poolName: 'pool',
            deviceName: 'd0',
            shareId: 's',
            requestNames: ['r'],
            cdiDeviceIds: ['example.com/gpu=0'],
          },
        ],
      ],
    ]),
    isPrepared: false,
  },
  {
    uid: 'c2',
    namespace: 'ns',
    name: 'two',
    podUids: new Set(['p1']),
    drivers: new Map([[DRIVER, []]]),
    isPrepared: false,
  },
];

describe('the checkpoint of claims', () => {
  it("has the kubelet's format and checksum", () => {
    expect(formatClaimCheckpoint(RECORDS)).toBe(TEXT);
  });

  it('is read back, with claims that count as not prepared', () => {
    const prepared = RECORDS.map((record) => ({ ...record, isPrepared: true }));
    expect(parseClaimCheckpoint(formatClaimCheckpoint(prepared))).toEqual(RECORDS);
  });

  it('may have no claims, as the first one of a kubelet', () => {
    const data =
      '{\\"kind\\":\\"DRACheckpoint\\",\\"apiVersion\\":\\"checkpoint.dra.kubelet.k8s.io/v1\\",\\"ClaimInfoStateList\\":null}';
    expect(parseClaimCheckpoint(`{"Data":"${data}","Checksum":4010664294}`)).toEqual([]);
    expect(parseClaimCheckpoint(formatClaimCheckpoint([]))).toEqual([]);
  });

  it.each([
    ['no JSON', '{', 'the content is not JSON'],
    ['a list', '[]', 'the file must be a JSON object'],
    ['another checksum', TEXT.replace('948344172', '948344173'), 'checkpoint is corrupted'],
    ['changed data', TEXT.replace('\\"p2\\"', '\\"p3\\"'), 'checkpoint is corrupted'],
    ['no data', '{"Checksum":0}', 'checkpoint is corrupted'],
  ])('rejects %s', (_title, text, message) => {
    expect(() => parseClaimCheckpoint(text)).toThrow(message);
  });
});
