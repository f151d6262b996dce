// The part of card.h that holds things: cards, memory, transfers and sequences.
#include "card_state.cuh"

using namespace card_state;

int card_version() {
  return 1;
}

int card_open(int index, Card** card, char* error, size_t error_size) {
  auto* const made = new Card;
  made->device = index;
  const int failed = call(made, [&] {
    check(cudaStreamCreateWithFlags(&made->work, cudaStreamNonBlocking), "the card");
    check(cudaStreamCreateWithFlags(&made->copies, cudaStreamNonBlocking), "the card");
    cudaMemPool_t pool;
    check(cudaDeviceGetDefaultMemPool(&pool, index), "the card");
    std::uint64_t all = UINT64_MAX;  // freed memory is kept for the next batch
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "the card");
  });
  if (failed != 0) {
    std::strncpy(error, made->error.c_str(), error_size - 1);
    error[error_size - 1] = 0;
    delete made;
    return 1;
  }
  *card = made;
  return 0;
}

void card_close(Card* card) {
  call(card, [&] {
    cudaStreamSynchronize(card->work);
    for (const Card::Staging& staging : card->staging) {
      cudaFreeHost(staging.memory);
      cudaEventDestroy(staging.read);
    }
    cudaStreamDestroy(card->work);
    cudaStreamDestroy(card->copies);
  });
  delete card;
}

const char* card_error(const Card* card) {
  return card->error.c_str();
}

int card_allocate(Card* card, size_t bytes, CardMemory** memory) {
  return call(card, [&] { *memory = allocate(card, bytes); });
}
void card_free(Card* card, CardMemory* memory) {
  call(card, [&] { release(card, memory); });
}

int card_upload(Card* card, const void* from, size_t stride_bytes, CardMatrix to) {
  return call(card, [&] {
    if (to.rows * to.columns == 0) return;
    const bool in_one = stride_bytes == to.columns && to.stride == to.columns;
    upload(card, from, in_one ? to.columns * to.rows : stride_bytes, pointer<std::byte>(to),
           in_one ? to.columns * to.rows : to.stride, in_one ? to.columns * to.rows : to.columns,
           in_one ? 1 : to.rows);
    note_written(card, to.memory);
  });
}

int card_download(Card* card, CardMatrix from, const CardPart* parts, size_t count) {
  const int failed = call(card, [&] {
    check(cudaStreamWaitEvent(card->copies, from.memory->written), "a download");
    for (std::size_t i = 0; i < count; ++i) {
      const CardPart& part = parts[i];
      if (part.rows * from.columns == 0) continue;
      check(cudaMemcpy2DAsync(part.to, part.stride_bytes, pointer<std::byte>(from) + part.first * from.stride,
                              from.stride, from.columns, part.rows, cudaMemcpyDeviceToHost, card->copies),
            "a download");
    }
  });
  if (failed != 0) return failed;
  const cudaError_t status = cudaStreamSynchronize(card->copies);  // others may enqueue meanwhile
  return call(card, [&] { check(status, "a download"); });
}

int card_pack_sequences(Card* card, const size_t* starts, size_t count, CardSequences** sequences) {
  return call(card, [&] {
    if (starts[count] >= (std::size_t{1} << 31)) refuse("more rows than a batch can have");
    auto made = std::make_unique<CardSequences>();
    made->count = static_cast<int>(count);
    made->rows = static_cast<int>(starts[count]);
    std::vector<int> table(starts, starts + count + 1);
    for (std::size_t i = 0; i < count; ++i)
      table.insert(table.end(), starts[i + 1] - starts[i], static_cast<int>(i));
    constexpr int kClassLengths[4] = {32, 64, 128, INT32_MAX};
    int total = 0;
    for (int which = 0; which < 4; ++which) {
      const int above = which == 0 ? 0 : kClassLengths[which - 1];
      CardSequences::Class& mine = made->classes[which];
      mine = {total, 0, 0};
      for (std::size_t i = 0; i < count; ++i) {
        const int begin = static_cast<int>(starts[i]), length = static_cast<int>(starts[i + 1]) - begin;
        if (length <= above || length > kClassLengths[which]) continue;
        mine.longest = std::max(mine.longest, length);
        for (int first = 0; first < length; first += 32) {
          table.insert(table.end(), {begin, length, first});
          ++mine.count;
        }
      }
      total += mine.count;
    }
    made->memory = allocate(card, table.size() * 4);
    upload(card, table.data(), table.size() * 4, made->memory->data, table.size() * 4, table.size() * 4, 1);
    *sequences = made.release();
  });
}
void card_free_sequences(Card* card, CardSequences* sequences) {
  call(card, [&] { release(card, sequences->memory); });
  delete sequences;
}
