import type { FileSystemLayout } from '@rxlet/agent-api/node';
import type { ImageFsInfoResponse } from '@rxlet/cri-api';
import type { FileSystems } from '../summary/pod-statistics.ts';

/** Returns which file systems hold images and writable layers. A path that this node does not have counts as one on a file system of its own. */
export async function imageLayout(
  { imageFilesystems, containerFilesystems }: ImageFsInfoResponse,
  fileSystems: Pick<FileSystems, 'isOnRoot'>,
): Promise<FileSystemLayout> {
  const imagesPath = imageFilesystems[0]?.fsId?.mountpoint;
  if (imagesPath === undefined) throw new Error('imageFs information is unavailable');
  const layersPath = containerFilesystems[0]?.fsId?.mountpoint ?? imagesPath;
  const [images, layers] = await Promise.all([fileSystems.isOnRoot(imagesPath), fileSystems.isOnRoot(layersPath)]);
  if (images) return layers ? 'shared' : 'separateContainers';
  return layers ? 'split' : 'dedicated';
}
