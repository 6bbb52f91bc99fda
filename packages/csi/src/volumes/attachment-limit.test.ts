import type { CSIDriver, VolumeAttachment } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { isLimitReached, isOverAttachmentLimit } from './attachment-limit.ts';

const driverOf = (nodeAllocatableUpdatePeriodSeconds?: number): CSIDriver => ({
  metadata: { name: 'csi.example.com' },
  spec: { ...(nodeAllocatableUpdatePeriodSeconds !== undefined && { nodeAllocatableUpdatePeriodSeconds }) },
});
const attachmentOf = (errorCode?: number): VolumeAttachment => ({
  spec: { attacher: 'csi.example.com', nodeName: 'node1', source: { persistentVolumeName: 'pv' } },
  status: {
    attached: false,
    attachError: { message: 'failed', ...(errorCode !== undefined && { errorCode }) },
  },
});

describe('isLimitReached', () => {
  it.each([
    ['a driver that cannot attach more, whose limit is read again', driverOf(60), attachmentOf(8), true],
    ['a driver whose limit is not read again', driverOf(), attachmentOf(8), false],
    ['a driver without an object', undefined, attachmentOf(8), false],
    ['another error', driverOf(60), attachmentOf(13), false],
    ['an error without a code', driverOf(60), attachmentOf(), false],
    ['an attachment without an error', driverOf(60), { ...attachmentOf(), status: { attached: false } }, false],
  ])('for %s', (_title, driver, attachment, expected) => {
    expect(isLimitReached(driver, attachment)).toBe(expected);
  });
});

describe('isOverAttachmentLimit', () => {
  const { signal } = new AbortController();
  const persistent = {
    ...{ podVolumeName: 'disk', claim: { namespace: 'default', name: 'disk' }, readOnly: false, mountOptions: [] },
    spec: { csi: { driver: 'csi.example.com', volumeHandle: 'disk-1' } },
  };
  const check = async (
    attachment: VolumeAttachment | Error,
    refresh: () => Promise<void>,
    volume: object = { persistent },
  ) => {
    const refreshed: string[] = [];
    const isOver = await isOverAttachmentLimit(
      {
        nodeName: 'node1',
        objects: {
          driver: async () => driverOf(60),
          secret: async () => undefined,
          attachment: async () => {
            if (attachment instanceof Error) throw attachment;
            return attachment;
          },
        },
        drivers: {
          refresh: (name: string) => (refreshed.push(name), refresh()),
        } as unknown as Parameters<typeof isOverAttachmentLimit>[0]['drivers'],
      },
      { name: 'pv', ...volume },
      signal,
    );
    return { isOver, refreshed };
  };

  it('reads the limit of the driver again, and needs no answer', async () => {
    expect(await check(attachmentOf(8), async () => undefined)).toEqual({
      isOver: true,
      refreshed: ['csi.example.com'],
    });
    expect(await check(attachmentOf(8), () => Promise.reject(new Error('gone')))).toMatchObject({ isOver: true });
  });

  it('is false for other volumes, and where the attachment cannot be read', async () => {
    const never = async () => undefined;
    expect(await check(attachmentOf(13), never)).toEqual({ isOver: false, refreshed: [] });
    expect(await check(new Error('forbidden'), never)).toEqual({ isOver: false, refreshed: [] });
    expect(await check(attachmentOf(8), never, { csi: { driver: 'csi.example.com' } })).toEqual({
      isOver: false,
      refreshed: [],
    });
  });
});
