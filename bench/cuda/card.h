/* What a plug-in for one kind of card offers, in plain C: memory, products and the operations of
 * compute/transformer.hpp, each with the CPU's bits. card_device.hpp puts it behind compute::Device, so every
 * encoder of src/encoder runs on it as it is.
 *
 * All work is enqueued in the order of the calls; card_download and card_finite_rows wait for theirs. A call
 * returns 0, or 1 and leaves a sentence in card_error(). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Card Card;
typedef struct CardMemory CardMemory;
typedef struct CardWeights CardWeights;
typedef struct CardSequences CardSequences;

/* Rows of elements in memory of the card; offset and stride are counted in elements. No memory: absent. */
typedef struct CardMatrix {
  CardMemory* memory;
  size_t offset, rows, columns, stride;
} CardMatrix;

typedef struct CardEpilogue {
  float scale;
  CardMatrix bias;
  int activation; /* compute::Activation */
  CardMatrix residual;
} CardEpilogue;

typedef struct CardAttention {
  CardMatrix query, key, value;
  size_t heads;
  float scale;
  CardMatrix bias;                         /* compute::RelativeBias */
  CardMatrix position_key, position_query; /* compute::DisentangledTerms */
  CardMatrix bucket;                       /* int32 */
  size_t reach;
} CardAttention;

/* Elements from row `first` on, and where they go. */
typedef struct CardPart {
  size_t first, rows;
  void* to;
  size_t stride_bytes;
} CardPart;

/* out = a, -; out = a + b; out = a * b; out = function(a). */
enum { card_gelu_tanh, card_silu, card_tanh, card_add, card_multiply_numbers };

int card_version(void);
int card_open(int index, Card** card, char* error, size_t error_size);
void card_close(Card* card);
const char* card_error(const Card* card);

int card_allocate(Card* card, size_t bytes, CardMemory** memory);
void card_free(Card* card, CardMemory* memory);
/* Elements of a byte. */
int card_upload(Card* card, const void* from, size_t stride_bytes, CardMatrix to);
int card_download(Card* card, CardMatrix from, const CardPart* parts, size_t count);

int card_pack_sequences(Card* card, const size_t* starts, size_t count, CardSequences** sequences);
void card_free_sequences(Card* card, CardSequences* sequences);
int card_pack_weights(Card* card, CardMatrix weights, CardWeights** packed);
void card_free_weights(Card* card, CardWeights* weights);

int card_multiply(Card* card, CardMatrix in, const CardWeights* weights, const CardEpilogue* epilogue,
                  CardMatrix out);
int card_attention(Card* card, const CardSequences* sequences, const CardAttention* inputs, CardMatrix out);
/* Tables of positions and of the type may be absent. */
int card_embed(Card* card, CardMatrix ids, CardMatrix positions, CardMatrix words, CardMatrix position_table,
               CardMatrix type, CardMatrix out);
int card_layer_norm(Card* card, CardMatrix in, CardMatrix gain, CardMatrix bias, float epsilon,
                    CardMatrix out);
/* In place on `a`. */
int card_numbers(Card* card, int operation, CardMatrix a, CardMatrix b);
int card_rotate(Card* card, CardMatrix positions, CardMatrix cosines, CardMatrix sines, CardMatrix values);
/* No indices: a copy. */
int card_gather_rows(Card* card, CardMatrix in, CardMatrix indices, CardMatrix out);
int card_unfold(Card* card, const CardSequences* sequences, CardMatrix in, size_t reach, CardMatrix out);
int card_pool(Card* card, const CardSequences* sequences, CardMatrix in, int pooling, CardMatrix out);
int card_normalize_rows(Card* card, CardMatrix rows);
int card_finite_rows(Card* card, CardMatrix rows, uint8_t* finite);

#ifdef __cplusplus
}
#endif
