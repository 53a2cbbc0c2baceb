import { contextTokensOf } from '../sdk/context-tokens.ts';
import type { LanguageModel } from '../sdk/language-model.ts';
import { providerName } from '../sdk/metadata.ts';

/** A limit in words, for warnings and errors, and the vendor's page that states it. */
export interface StatedLimit {
  readonly most: number;
  readonly words: string;
  readonly page: string;
}

/** A vendor's limit for the files of a request. */
export interface FileLimit extends StatedLimit {
  /** The media types of the files that count. */
  readonly of: RegExp;
  /** Bytes are those of the file itself, not of its base64. */
  readonly unit: 'files' | 'bytes';
  /** `message` is all that stands between two answers of the model. */
  readonly per: 'file' | 'message' | 'request';
}

/** The limits of a vendor for the sizes of requests and files. */
export interface SizeLimits {
  readonly files: readonly FileLimit[];
  /** The largest request in bytes, with files as base64. */
  readonly request?: StatedLimit;
  /** The most tools that a request may offer. */
  readonly tools?: StatedLimit;
}

const images = /^image\//i;
const pdf = /^application\/pdf$/i;
const documents = /^(?:application|text)\//i;
const plainDocuments = /^(?:application\/(?!pdf$)|text\/)/i;
const notImages = /^(?!image\/)/i;

const million = 1_000_000;
const mebibyte = 1024 * 1024;

const claude = 'https://platform.claude.com/docs/en';
const bedrockPage = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html';
const geminiPage = 'https://ai.google.dev/gemini-api/docs/file-input-methods';
const openAiPage = 'https://developers.openai.com/api/docs/guides';

const none: SizeLimits = { files: [] };

/** Anthropic measures images as base64. Its own API accepts larger ones, and larger requests, than the clouds. */
function anthropic(modelId: string, largestImage: number, request: StatedLimit): SizeLimits {
  const page = `${claude}/build-with-claude/vision`;
  const context = contextTokensOf(modelId) ?? 0;
  const most = context > 200_000 ? 600 : 100;
  return {
    files: [
      limit(images, 'file', 'bytes', {
        most: (largestImage * mebibyte * 3) / 4,
        words: `Anthropic accepts images of at most ${largestImage} MB as base64`,
        page,
      }),
      limit(images, 'request', 'files', {
        most,
        words: `Anthropic accepts at most ${most} images in a request to this model`,
        page,
      }),
    ],
    request,
  };
}

/** Returns the limit of requests to models of Anthropic on a platform. */
function requestTo(platform: string, megabytes: number): StatedLimit {
  return {
    most: megabytes * million,
    words: `${platform} accepts requests of at most ${megabytes} MB`,
    page: `${claude}/api/overview#request-size-limits`,
  };
}

const gemini: SizeLimits = {
  files: [
    limit(pdf, 'file', 'bytes', {
      most: 50 * million,
      words: 'Gemini accepts PDF files of at most 50 MB in a request',
      page: geminiPage,
    }),
  ],
  request: { most: 100 * million, words: 'Gemini accepts requests of at most 100 MB', page: geminiPage },
};

const openAi: SizeLimits = {
  tools: {
    most: 128,
    words: 'OpenAI accepts at most 128 tools in a request',
    page: `${openAiPage}/function-calling`,
  },
  files: [
    limit(images, 'request', 'files', {
      most: 1500,
      words: 'OpenAI accepts at most 1,500 images in a request',
      page: `${openAiPage}/images-vision`,
    }),
    // The files of a request together may be as large as one alone.
    limit(notImages, 'request', 'bytes', {
      most: 50 * million,
      words: 'OpenAI accepts files of at most 50 MB in a request, all together',
      page: `${openAiPage}/file-inputs`,
    }),
  ],
};

const bedrock: SizeLimits = {
  files: [
    limit(images, 'file', 'bytes', {
      most: 3.75 * mebibyte,
      words: 'Bedrock accepts images of at most 3.75 MB',
      page: bedrockPage,
    }),
    // PDF files of newer models are exempt.
    limit(plainDocuments, 'file', 'bytes', {
      most: 4.5 * mebibyte,
      words: 'Bedrock accepts documents of at most 4.5 MB',
      page: bedrockPage,
    }),
    limit(images, 'message', 'files', {
      most: 20,
      words: 'Bedrock accepts at most 20 images in a message',
      page: bedrockPage,
    }),
    // The reference allows this number for each message, but the server counts the documents of all messages.
    limit(documents, 'request', 'files', {
      most: 5,
      words: 'Bedrock accepts at most 5 documents in a request',
      page: 'https://docs.aws.amazon.com/bedrock/latest/userguide/inference-api-restrictions.html',
    }),
  ],
};

/**
 * Returns the limits that the vendor of a model publishes. Other servers, which some packages also reach, have limits
 * of their own, and are recognized by the names of their models.
 */
export function sizeLimitsOf({ provider, modelId }: Pick<LanguageModel, 'provider' | 'modelId'>): SizeLimits {
  const words = provider.split(/[^a-z]+/);
  const name = providerName(provider);
  if (words.includes('anthropic')) {
    if (!modelId.includes('claude')) return none;
    return name === 'anthropic'
      ? anthropic(modelId, 10, requestTo('Anthropic', 32))
      : anthropic(modelId, 5, requestTo('Vertex AI', 30));
  }
  // Vertex AI runs the same models, with limits of its own.
  if (name === 'google' && !words.includes('vertex')) return modelId.includes('gemini') ? gemini : none;
  // Deployments of Azure may have any name.
  if (name === 'azure') return openAi;
  if (name === 'openai') return /^(?:gpt-(?!oss)|chatgpt-|codex-|o\d|ft:)/.test(modelId) ? openAi : none;
  if (name !== 'amazon-bedrock') return none;
  return modelId.includes('claude') ? { ...bedrock, request: requestTo('Bedrock', 20) } : bedrock;
}

function limit(of: RegExp, per: FileLimit['per'], unit: FileLimit['unit'], stated: StatedLimit): FileLimit {
  return { of, per, unit, ...stated };
}
