import { create } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { ContainerAllocateResponseSchema } from '../../gen/deviceplugin/v1beta1/api_pb.js';
import { containerAdditions } from './container-additions.ts';

const answer = (text: string) => ({
  byNode: new Map([[-1, [text]]]),
  response: create(ContainerAllocateResponseSchema, {
    envs: { SHARED: 'same', [text]: text, CLASH: text },
    mounts: [{ hostPath: `/lib/${text}`, containerPath: '/lib', readOnly: true }],
    devices: [{ hostPath: '/dev/shared', containerPath: '/dev/x', permissions: 'rw' }],
    annotations: { note: text },
    cdiDevices: [{ name: 'example.com/gpu=all' }],
  }),
});

it('keeps the setting of the first resource by name where plugins disagree', () => {
  const conflicts: string[] = [];
  const allocations = new Map([
    ['b.example.com/two', answer('two')],
    ['a.example.com/one', answer('one')],
  ]);
  expect(containerAdditions(allocations, (...conflict) => conflicts.push(conflict.join(' | ')))).toEqual({
    environment: { SHARED: 'same', one: 'one', CLASH: 'one', two: 'two' },
    mounts: [{ hostPath: '/lib/one', containerPath: '/lib', readOnly: true }],
    devices: [{ hostPath: '/dev/shared', containerPath: '/dev/x', permissions: 'rw' }],
    annotations: { note: 'one' },
    cdiDevices: ['example.com/gpu=all'],
  });
  expect(conflicts).toEqual([
    'variable CLASH | one | two',
    'mount /lib | /lib/one | /lib/two',
    'annotation note | one | two',
  ]);
});
