import { writeFile } from 'node:fs/promises';
import { errorMessage, type Logger } from '@rxlet/component-base';

/** Default of `oomScoreAdj`, the kubelet's: the kernel kills nearly everything else on the node first. */
export const DEFAULT_OOM_SCORE_ADJ = -999;

/** Writes a file of the proc file system. */
export type WriteProcFile = (path: string, text: string) => Promise<void>;

/** Sets the agent's own OOM score adjustment. A failure is logged and no more, as in the kubelet: without privileges the score cannot be lowered. */
export async function applyOwnOomScoreAdj(
  oomScoreAdj: number,
  logger: Logger,
  write: WriteProcFile = writeFile,
): Promise<void> {
  try {
    await write('/proc/self/oom_score_adj', `${String(oomScoreAdj)}\n`);
  } catch (error) {
    logger.info('cannot set the OOM score adjustment of the agent', { oomScoreAdj, error: errorMessage(error) });
  }
}
