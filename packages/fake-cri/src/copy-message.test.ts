import { clone, create } from '@bufbuild/protobuf';
import { ContainerConfigSchema } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { copyMessage } from './copy-message.ts';

describe('copies of messages', () => {
  const config = create(ContainerConfigSchema, {
    metadata: { name: 'app', attempt: 1 },
    command: ['serve'],
    labels: { app: 'web' },
    mounts: [{ containerPath: '/data' }],
    linux: { resources: { cpuShares: 1024n, unified: { 'memory.high': '1' } } },
  });

  it('equal those of protobuf', () => {
    expect(copyMessage(config)).toStrictEqual(clone(ContainerConfigSchema, config));
  });

  it('share nothing with the message', () => {
    const copied = copyMessage(config);
    copied.labels['app'] = 'other';
    copied.mounts[0]!.containerPath = '/other';
    copied.linux!.resources!.cpuShares = 2n;
    expect(config).toMatchObject({
      labels: { app: 'web' },
      mounts: [{ containerPath: '/data' }],
      linux: { resources: { cpuShares: 1024n } },
    });
  });

  it('keep a label with the name of an accessor', () => {
    const labels = JSON.parse('{ "__proto__": "x" }') as Record<string, string>;
    expect(Object.keys(copyMessage({ labels }).labels)).toEqual(['__proto__']);
  });
});
