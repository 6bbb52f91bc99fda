export { type SocketErrorReason, UnixSocketError } from '@rxlet/component-base/unix-socket';
export { type CriApiVersion, type CriServer, type CriServerOptions, type CriServices, serveCri } from './serve-cri.ts';
export { UnsupportedAddressError } from './unix-address.ts';
