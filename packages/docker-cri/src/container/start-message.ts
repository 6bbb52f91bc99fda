/** Matches the error of an OCI runtime that may not lower the OOM score adjustment of a container. */
const OOM_SCORE_DENIED = /oom[_ ]score[_ ]adj\b.*(permission denied|operation not permitted)/is;

/** Returns the message of a container that cannot be started, with the way out where the user has one. */
export function startMessage(message: string): string {
  if (!OOM_SCORE_DENIED.test(message)) return message;
  return `${message}: without CAP_SYS_RESOURCE no OOM score adjustment below the own one is possible, start docker-shim with --restrict-oom-score-adj`;
}
