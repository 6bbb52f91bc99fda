export { type ChannelSockets, type ConnectHooks, createChannelSockets } from './channel-sockets.ts';
