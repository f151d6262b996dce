// The part of card.h that computes: weights, products and the operations of an encoder. Compile with
// -fmad=false.
#include "card_state.cuh"
#include "f32_attention.cuh"
#include "f32_product.cuh"
#include "f32_rows.cuh"

using namespace card_state;

namespace {

template <f32::Finish kFinish>
void launch_product(Card* card, const f32::Product& product, bool whole) {
  const dim3 blocks(divided_up(product.outputs, f32::kTile), divided_up(product.count, f32::kTile));
  const auto kernel = whole ? f32::multiply<kFinish, true> : f32::multiply<kFinish, false>;
  launch(card, kernel, blocks, 128, f32::kProductBytes, product);
}

/// False where the scores of the longest sequence do not fit into shared memory.
template <int kWidth>
bool launch_tiles(Card* card, f32::Attention attention, int longest) {
  attention.kept = divided_up(longest, 32) * 32;
  const int bytes = (2 * f32::kTileFloats<kWidth> + attention.kept * f32::kScoreStride) * 4;
  const int warps = 2 * bytes <= kSharedBytes / 2 ? 2 : 1;
  if (bytes > kSharedBytes) return false;
  launch(card, f32::attend_tiles<kWidth>,
         divided_up(static_cast<std::size_t>(attention.count) * attention.heads, warps), 32 * warps,
         bytes * warps, attention);
  return true;
}

template <int kWidth, bool kExact>
void launch_attention(Card* card, f32::Attention attention, bool has_terms, int longest) {
  if constexpr (kExact) {
    const bool is_plain = attention.bucket == nullptr && attention.reach < 0;
    if (is_plain && launch_tiles<kWidth>(card, attention, longest)) return;
  }
  if (attention.reach >= 0) longest = std::min(longest, 2 * attention.reach + 48);
  const bool keeps = longest * 128 <= kSharedBytes;
  if (!keeps && attention.bucket != nullptr) refuse("disentangled attention has room for 1816 tokens");
  const int warps = !keeps || longest <= 256 ? 4 : longest <= 512 ? 2 : 1;
  attention.kept = keeps ? longest : 0;
  const auto kernel =
      has_terms
          ? (keeps ? f32::attend<kWidth, kExact, true, true> : f32::attend<kWidth, kExact, true, false>)
          : (keeps ? f32::attend<kWidth, kExact, false, true> : f32::attend<kWidth, kExact, false, false>);
  launch(card, kernel, divided_up(static_cast<std::size_t>(attention.count) * attention.heads, warps),
         32 * warps, attention.kept * 128 * warps, attention);
}

/// The operations of card_numbers, one number each.
struct GeluTanh {
  __device__ float operator()(float a, float) const { return encoder::gelu_tanh(a); }
};
struct Silu {
  __device__ float operator()(float a, float) const { return encoder::silu(a); }
};
struct Tanh {
  __device__ float operator()(float a, float) const { return encoder::hyperbolic_tangent(a); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Times {
  __device__ float operator()(float a, float b) const { return a * b; }
};

}  // namespace

int card_pack_weights(Card* card, CardMatrix weights, CardWeights** packed) {
  return call(card, [&] {
    auto made = std::make_unique<CardWeights>();
    made->inputs = static_cast<int>(weights.columns);
    made->outputs = static_cast<int>(weights.rows);
    const int inputs = divided_up(weights.columns, f32::kSlab) * f32::kSlab;
    const int panels = divided_up(weights.rows, f32::kTile);
    if (inputs > 65535) refuse("more inputs of a product than 65535");
    made->panels = allocate(card, static_cast<std::size_t>(panels) * inputs * f32::kTile * 4);
    launch(card, f32::pack_weights, dim3(panels, inputs), f32::kTile, 0, pointer<const float>(weights),
           weights.stride, made->inputs, made->outputs, reinterpret_cast<float*>(made->panels->data));
    note_written(card, made->panels);
    *packed = made.release();
  });
}
void card_free_weights(Card* card, CardWeights* weights) {
  call(card, [&] { release(card, weights->panels); });
  delete weights;
}

int card_multiply(Card* card, CardMatrix in, const CardWeights* weights, const CardEpilogue* epilogue,
                  CardMatrix out) {
  return call(card, [&] {
    if (out.rows == 0) return;
    // The copy engine reads rows that are a multiple of 16 bytes apart; others are copied to such a place.
    CardMemory* aligned = nullptr;
    if (!by_fours(in)) {
      const std::size_t stride = static_cast<std::size_t>(divided_up(in.columns, 4)) * 4;
      aligned = allocate(card, in.rows * stride * 4);
      const CardMatrix copy{aligned, 0, in.rows, in.columns, stride};
      launch(card, f32::gather_rows, static_cast<unsigned>(in.rows), 128, 0, in_rows(in),
             static_cast<const int*>(nullptr), out_rows(copy));
      in = copy;
    }
    f32::Product product{.rows = {},
                         .weights = reinterpret_cast<const float*>(weights->panels->data),
                         .bias = pointer<const float>(epilogue->bias),
                         .residual = pointer<const float>(epilogue->residual),
                         .out = pointer<float>(out),
                         .residual_stride = epilogue->residual.stride,
                         .out_stride = out.stride,
                         .count = static_cast<int>(in.rows),
                         .inputs = weights->inputs,
                         .outputs = weights->outputs,
                         .scale = epilogue->scale};
    if (!f32::map_rows(pointer<const float>(in), in.rows, in.columns, in.stride, &product.rows))
      refuse("the driver makes no tensor map");
    const bool whole = product.outputs % 4 == 0 && by_fours(out) && by_fours(epilogue->residual);
    switch (static_cast<f32::Finish>(epilogue->activation)) {
      case f32::Finish::none:
        launch_product<f32::Finish::none>(card, product, whole);
        break;
      case f32::Finish::relu:
        launch_product<f32::Finish::relu>(card, product, whole);
        break;
      case f32::Finish::gelu:
        launch_product<f32::Finish::gelu>(card, product, whole);
        break;
    }
    note_written(card, out.memory);
    release(card, aligned);
  });
}

int card_attention(Card* card, const CardSequences* sequences, const CardAttention* inputs, CardMatrix out) {
  return call(card, [&] {
    const int width = static_cast<int>(out.columns / inputs->heads);
    const bool reaches_all = inputs->reach >= static_cast<std::size_t>(1 << 30);
    f32::Attention attention{};
    attention.query = pointer<const float>(inputs->query);
    attention.key = pointer<const float>(inputs->key);
    attention.value = pointer<const float>(inputs->value);
    attention.out = pointer<float>(out);
    attention.query_stride = inputs->query.stride;
    attention.key_stride = inputs->key.stride;
    attention.value_stride = inputs->value.stride;
    attention.out_stride = out.stride;
    attention.heads = static_cast<int>(inputs->heads);
    attention.width = width;
    attention.scale = inputs->scale;
    attention.bias = in_rows(inputs->bias);
    attention.position_key = in_rows(inputs->position_key);
    attention.position_query = in_rows(inputs->position_query);
    attention.bucket = pointer<const int>(inputs->bucket);
    if (attention.bucket != nullptr) attention.bucket += inputs->bucket.columns / 2;
    attention.reach = reaches_all ? -1 : static_cast<int>(inputs->reach);
    const bool has_terms = attention.bias.data != nullptr || attention.bucket != nullptr || !reaches_all;
    bool exact = width == 32 || width == 64;
    for (const CardMatrix& matrix :
         {inputs->query, inputs->key, inputs->value, inputs->position_key, inputs->position_query, out})
      exact = exact && by_fours(matrix);
    if (width > 256) refuse("heads have room for 256 numbers");
    for (const CardSequences::Class& some : sequences->classes) {
      if (some.count == 0) continue;
      attention.chunks = sequences->chunks() + some.first;
      attention.count = some.count;
      if (exact && width == 32) {
        launch_attention<32, true>(card, attention, has_terms, some.longest);
      } else if (exact) {
        launch_attention<64, true>(card, attention, has_terms, some.longest);
      } else {
        launch_attention<256, false>(card, attention, has_terms, some.longest);
      }
    }
    note_written(card, out.memory);
  });
}

int card_embed(Card* card, CardMatrix ids, CardMatrix positions, CardMatrix words, CardMatrix position_table,
               CardMatrix type, CardMatrix out) {
  return call(card, [&] {
    if (out.rows == 0) return;
    launch(card, f32::embed, static_cast<unsigned>(out.rows), 128, 0, pointer<const int>(ids),
           pointer<const int>(positions), in_rows(words), in_rows(position_table), pointer<const float>(type),
           out_rows(out));
    note_written(card, out.memory);
  });
}

int card_layer_norm(Card* card, CardMatrix in, CardMatrix gain, CardMatrix bias, float epsilon,
                    CardMatrix out) {
  return call(card, [&] {
    if (in.rows == 0) return;
    const auto kernel = in.columns < 144   ? f32::layer_norm<8>
                        : in.columns < 400 ? f32::layer_norm<24>
                        : in.columns < 784 ? f32::layer_norm<48>
                                           : f32::layer_norm<0>;
    launch(card, kernel, divided_up(in.rows, 8), 128, 0, in_rows(in), pointer<const float>(gain),
           pointer<const float>(bias), epsilon, out_rows(out));
    note_written(card, out.memory);
  });
}

int card_numbers(Card* card, int operation, CardMatrix a, CardMatrix b) {
  return call(card, [&] {
    if (a.rows == 0) return;
    const auto run = [&](auto number) {
      launch(card, f32::change_numbers<decltype(number)>, static_cast<unsigned>(a.rows), 128, 0, out_rows(a),
             in_rows(b), number);
    };
    switch (operation) {
      case card_gelu_tanh:
        run(GeluTanh{});
        break;
      case card_silu:
        run(Silu{});
        break;
      case card_tanh:
        run(Tanh{});
        break;
      case card_add:
        run(Sum{});
        break;
      case card_multiply_numbers:
        run(Times{});
        break;
      default:
        refuse("no such operation");
    }
    note_written(card, a.memory);
  });
}

int card_rotate(Card* card, CardMatrix positions, CardMatrix cosines, CardMatrix sines, CardMatrix values) {
  return call(card, [&] {
    if (values.rows == 0) return;
    launch(card, f32::rotate, static_cast<unsigned>(values.rows), 128, 0, pointer<const int>(positions),
           in_rows(cosines), in_rows(sines), out_rows(values));
    note_written(card, values.memory);
  });
}

int card_gather_rows(Card* card, CardMatrix in, CardMatrix indices, CardMatrix out) {
  return call(card, [&] {
    if (out.rows == 0) return;
    launch(card, f32::gather_rows, static_cast<unsigned>(out.rows), 128, 0, in_rows(in),
           pointer<const int>(indices), out_rows(out));
    note_written(card, out.memory);
  });
}

int card_unfold(Card* card, const CardSequences* sequences, CardMatrix in, size_t reach, CardMatrix out) {
  return call(card, [&] {
    if (out.rows == 0) return;
    launch(card, f32::unfold, static_cast<unsigned>(out.rows), 128, 0, in_rows(in), sequences->starts(),
           sequences->sequence_of(), static_cast<int>(reach), out_rows(out));
    note_written(card, out.memory);
  });
}

int card_pool(Card* card, const CardSequences* sequences, CardMatrix in, int pooling, CardMatrix out) {
  return call(card, [&] {
    if (out.rows == 0) return;
    launch(card, f32::pool, static_cast<unsigned>(out.rows), 128, 0, in_rows(in), sequences->starts(),
           pooling, out_rows(out));
    note_written(card, out.memory);
  });
}

int card_normalize_rows(Card* card, CardMatrix rows) {
  return call(card, [&] {
    if (rows.rows == 0) return;
    launch(card, f32::normalize_rows, divided_up(rows.rows, 32), 32, 0, out_rows(rows));
    note_written(card, rows.memory);
  });
}

int card_finite_rows(Card* card, CardMatrix rows, uint8_t* finite) {
  CardMemory* marks = nullptr;
  int failed = call(card, [&] {
    if (rows.rows == 0) return;
    marks = allocate(card, rows.rows);
    launch(card, f32::finite_rows, divided_up(rows.rows, 4), 128, 0, in_rows(rows),
           reinterpret_cast<std::uint8_t*>(marks->data));
    note_written(card, marks);
  });
  if (failed == 0 && marks != nullptr) {
    const CardPart part{0, 1, finite, rows.rows};
    failed = card_download(card, {marks, 0, 1, rows.rows, rows.rows}, &part, 1);
  }
  if (marks != nullptr) card_free(card, marks);
  return failed;
}
