import { type Duplex, pipeline } from 'node:stream';

/** Copies between two connections until both directions have ended. The end of one direction half-closes the other side, so that the other direction goes on. */
export async function copyBothWays(first: Duplex, second: Duplex): Promise<void> {
  await Promise.all([copy(first, second), copy(second, first)]);
}

function copy(from: Duplex, to: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    pipeline(from, to, (error) => {
      // A connection that was reset is an end, too.
      if (error === null || error === undefined || error.code === 'ERR_STREAM_PREMATURE_CLOSE') resolve();
      else reject(error);
    });
  });
}
