export * from './api_pb.js';
