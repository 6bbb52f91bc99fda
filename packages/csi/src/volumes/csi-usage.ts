import type { CsiUsage, CsiVolumeStats } from '../csi-drivers.ts';
import type { VolumeUsage } from '@rxlet/agent-api/volumes';

const NONE: CsiUsage = { available: 0n, total: 0n, used: 0n };

/** Converts the statistics of a driver. @throws Error for statistics without bytes, as drivers report for a volume that they have lost */
export function csiUsage({ bytes, inodes = NONE }: CsiVolumeStats): VolumeUsage {
  if (bytes === undefined) throw new Error('the driver reports no bytes');
  return {
    usedBytes: Number(bytes.used),
    inodes: Number(inodes.used),
    limits: {
      capacityBytes: Number(bytes.total),
      availableBytes: Number(bytes.available),
      inodes: Number(inodes.total),
      inodesFree: Number(inodes.available),
    },
  };
}
