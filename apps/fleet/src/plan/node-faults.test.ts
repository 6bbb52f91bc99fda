import { describe, expect, it } from 'vitest';
import { faultsOfNodes, parseNodeFaults } from './node-faults.ts';

const parse = (fault: object) => parseNodeFaults('file', [fault]);

describe('node faults of a file', () => {
  it.each([
    [{ type: 'Fire' }, 'file: nodeFaults[0].type: must be one of NotReady, AgentStop'],
    [{ type: 'Drain' }, 'durationSeconds: is required'],
    [{ type: 'Drain', durationSeconds: 0 }, 'durationSeconds: must be a number of seconds, at least 1'],
    [
      { type: 'Drain', durationSeconds: 60, everySeconds: 30 },
      'everySeconds: must be a number of seconds, at least 60',
    ],
    [{ type: 'Drain', durationSeconds: 60, nodes: 'all' }, 'nodes: must be a list of names'],
    [{ type: 'Drain', durationSeconds: 60, after: 3 }, 'unknown field "after"'],
  ])('reject %j', (fault, message) => {
    expect(() => parse(fault)).toThrow(message);
  });

  it('begin later on each further node, and match names', () => {
    const rules = parse({
      ...{ type: 'Reboot', nodes: ['a-1', 'b*2'], afterSeconds: 10, durationSeconds: 5, staggerSeconds: 3 },
    });
    const begins = faultsOfNodes(rules, ['a-1', 'a-12', 'b-12', 'b2', 'b-3']).map((faults) => faults[0]?.afterMs);
    expect(begins).toEqual([10_000, undefined, 13_000, 16_000, undefined]);
  });
});
