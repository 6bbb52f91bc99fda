export { isTranslatedWebSocket, proxyStream } from './proxy-stream.ts';
export { BadStreamRequestError, parseCommandOptions, parseForwardedPorts } from './stream-query.ts';
export type { ProxyPorts, StreamTarget, UpgradeRequest } from './upgrade.ts';
export { answerText } from '../http/answer.ts';
export type { CommandOptions } from '../remote-command.ts';
