import { describe, expect, it } from 'vitest';
import { CheckpointError } from './checkpoint.ts';
import {
  formatResourcesCheckpoint,
  parseResourcesCheckpoint,
  type PodResourcesRecord,
} from './resources-checkpoint.ts';

const withData = (data: unknown): string => {
  // An entry of another shape, under a checksum that is right.
  const [, checksum] = /"checksum":(\d+)/.exec(formatResourcesCheckpoint(new Map()))!;
  return JSON.stringify({ data, checksum: Number(checksum) });
};

describe('checkpoint of resources', () => {
  it('parses what it formats', () => {
    const records = new Map<string, PodResourcesRecord>([
      [
        'uid-1',
        { containers: new Map([['app', { requests: { cpu: '1' }, limits: { memory: '1Gi' } }]]), pod: undefined },
      ],
      ['uid-2', { containers: new Map([['é', {}]]), pod: { limits: { cpu: 2 } } }],
      ['uid-3', { containers: new Map(), pod: undefined }],
    ]);
    expect(parseResourcesCheckpoint(formatResourcesCheckpoint(records))).toEqual(records);
  });

  it('parses a checkpoint of a kubelet', () => {
    const written =
      String.raw`{"data":"{\"entries\":{\"pod1\":{\"ContainerResources\":{\"container1\":` +
      String.raw`{\"requests\":{\"cpu\":\"1Ki\",\"memory\":\"1Ki\"}}}}}}","checksum":1178570812}`;
    expect(parseResourcesCheckpoint(written)).toEqual(
      new Map([
        [
          'pod1',
          { containers: new Map([['container1', { requests: { cpu: '1Ki', memory: '1Ki' } }]]), pod: undefined },
        ],
      ]),
    );
  });

  it.each([
    ['', 'InvalidJson'],
    ['{"data":"{\\"entries\\":', 'InvalidJson'],
    ['[]', 'InvalidContent'],
    ['{}', 'InvalidContent'],
    [withData('{"entries":{"uid":{}}}'), 'ChecksumMismatch'],
    [withData(7), 'InvalidContent'],
  ])('rejects %j', (text, reason) => {
    expect(() => parseResourcesCheckpoint(text)).toThrow(
      expect.objectContaining({ constructor: CheckpointError, reason }) as Error,
    );
  });

  it('rejects malformed amounts', () => {
    const records = new Map([['uid', { containers: new Map([['app', { limits: { cpu: 'much' } }]]), pod: undefined }]]);
    expect(() => parseResourcesCheckpoint(formatResourcesCheckpoint(records))).toThrow(
      'container app of pod uid has malformed limits',
    );
  });
});
