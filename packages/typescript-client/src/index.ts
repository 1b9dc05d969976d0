export { Cambist, type AnswerDetails, type BinaryFormat, type ClientOptions, type TextFormat } from "./client.js";
export * from "./errors.js";
export type * from "./interface.js";
export { PriceStream, type Socket, type SocketMaker, type StreamOptions, type StreamPrice } from "./stream.js";
